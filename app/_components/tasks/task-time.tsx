"use client";

import { useLocale, useTranslations } from "next-intl";
import { formatAgo, formatShort } from "../format-time.ts";
import { Instant } from "../instant.tsx";
import { type ShownTask, timeOf } from "./task-look.ts";

/** The time that matters in a task's state, with its meaning: "due in 40s", "overdue 3m", "running 12s", "failed 2h ago". */
export function TaskTime({ task, now }: { task: ShownTask; now: number }) {
  const t = useTranslations("taskTime");
  const locale = useLocale();
  const { meaning, at } = timeOf(task, now);
  const distance = Date.parse(at) - now;
  const time = formatShort(meaning === "dueIn" ? distance : -distance, locale);
  return (
    <Instant at={at}>
      <span className={meaning === "overdue" ? "text-warn" : ""}>{t(`${meaning}`, { time })}</span>
    </Instant>
  );
}

/** How long ago something was. */
export function AgoTime({ at, now }: { at: string; now: number }) {
  const locale = useLocale();
  return <Instant at={at}>{formatAgo(now - Date.parse(at), locale)}</Instant>;
}
