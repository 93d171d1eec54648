"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { LiteralText } from "../literal-text.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { TaskSection } from "./task-section.tsx";
import { useTimeTexts } from "./use-time-texts.ts";

/** Other tasks of the same biz key, live or archived. */
export function RelatedTasks({ answer: { related } }: { answer: TaskAnswer }) {
  const t = useTranslations("task");
  const texts = useTimeTexts();
  return (
    <TaskSection title={t("related")}>
      {related.length === 0 ? (
        <p className="px-4 py-3 text-ink-2">{t("relatedNone")}</p>
      ) : (
        <div className="overflow-x-auto" tabIndex={0} role="group" aria-label={t("related")}>
          <table className="data-table">
            <caption className="sr-only">{t("relatedCaption")}</caption>
            <thead>
              <tr>
                <th scope="col">{t("relatedId")}</th>
                <th scope="col">{t("relatedType")}</th>
                <th scope="col">{t("relatedState")}</th>
                <th scope="col">{t("relatedCreated")}</th>
              </tr>
            </thead>
            <tbody>
              {related.map(({ id, eventType, status, createdAt, archivedAt }) => (
                <tr key={`${id} ${archivedAt}`}>
                  <td className="font-mono text-xs">
                    <Link
                      prefetch={false}
                      href={archivedAt === undefined ? `/tasks/${id}` : `/archive/${id}`}
                      className="text-accent hover:underline"
                    >
                      {id}
                    </Link>
                  </td>
                  <td className="max-w-28">
                    <LiteralText text={eventType} />
                  </td>
                  <td>
                    {status && <StatusBadge status={status} />}
                    {archivedAt !== undefined && (
                      <span className="ms-2 text-xs text-ink-3">{t("relatedArchived")}</span>
                    )}
                  </td>
                  <td className="text-ink-2">{texts.instant(createdAt)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </TaskSection>
  );
}
