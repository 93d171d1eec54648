"use client";

import { useLocale, useTranslations } from "next-intl";
import { describeZone, formatAgo, formatInstant } from "../format-time.ts";
import { useZone } from "../zone.tsx";
import { formatShort } from "./format-short.ts";
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

/** An instant in full, without its age. */
export function PlainTime({ at }: { at: string }) {
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  return <Instant at={at}>{formatInstant(new Date(at), locale, timeZone)}</Instant>;
}

function Instant({ at, children }: { at: string; children: React.ReactNode }) {
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  const instant = new Date(at);
  const local = `${formatInstant(instant, locale, timeZone)} ${describeZone(timeZone, instant)}`;
  const title = timeZone === "UTC" ? local : `${local}\n${formatInstant(instant, locale, "UTC")} UTC`;
  return (
    <time dateTime={at} title={title} className="whitespace-nowrap">
      {children}
    </time>
  );
}
