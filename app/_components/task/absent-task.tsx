"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import type { ApiError } from "../api-client.ts";
import { StateMessage } from "../state-message.tsx";
import { type Conflict, ConflictPanel } from "./conflict-panel.tsx";
import { useTimeTexts } from "./use-time-texts.ts";

/** In place of a task that is not live: where it went, if anybody knows. */
export function AbsentTask({ id, error, conflict }: { id: string; error: ApiError; conflict: Conflict | undefined }) {
  const t = useTranslations("task");
  const texts = useTimeTexts();
  return (
    <>
      {conflict && <ConflictPanel conflict={conflict} />}
      <section className="card">
        {error.code === "task_archived" ? (
          <StateMessage
            tone="neutral"
            title={t("archivedTitle")}
            hint={error.archivedAt && t("archivedHint", { time: texts.instant(error.archivedAt) })}
          >
            <Link href={`/archive/${id}`} prefetch={false} className="button button-primary min-h-8">
              {t("openArchive")}
            </Link>
          </StateMessage>
        ) : (
          <StateMessage tone="neutral" title={t("absentTitle", { id })} hint={t("absentHint")} />
        )}
      </section>
    </>
  );
}
