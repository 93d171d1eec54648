"use client";

import { useLocale, useTranslations } from "next-intl";
import { useId } from "react";
import type { ArchivedTaskAnswer } from "../../_server/archived-task.ts";
import { formatDuration, spaceNumbers } from "../format-time.ts";
import { LiteralText } from "../literal-text.tsx";
import { useDetailText } from "../task/use-detail-text.ts";
import { TimeText } from "../time-text.tsx";

const KINDS = [
  "retried",
  "failed",
  "snoozed",
  "recycled",
  "stale",
  "reset",
  "cancelled",
  "replayed",
  "undone",
  "run_now",
  "edited",
] as const;

/** What happened to an archived task, newest first. */
export function ArchivedHistory({ answer }: { answer: ArchivedTaskAnswer }) {
  const t = useTranslations("archived");
  const detailText = useDetailText();
  const locale = useLocale();
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="grid min-w-0 gap-2">
      <h2 id={titleId} className="font-semibold">
        {t("history")}
      </h2>
      {answer.attempts.length === 0 ? (
        <p className="text-ink-3">{t("noHistory")}</p>
      ) : (
        <div
          className="max-h-[480px] overflow-auto rounded-md border border-line"
          tabIndex={0}
          role="region"
          aria-label={t("history")}
        >
          <table className="data-table">
            <caption className="sr-only">{t("historyCaption")}</caption>
            <thead>
              <tr>
                <th scope="col">{t("at")}</th>
                <th scope="col">{t("what")}</th>
                <th scope="col">{t("by")}</th>
                <th scope="col">{t("details")}</th>
                <th scope="col" className="number">
                  {t("took")}
                </th>
              </tr>
            </thead>
            <tbody>
              {answer.attempts.map((entry) => {
                const kind = KINDS.find((one) => one === entry.kind);
                const detail = entry.kind === "failed" ? undefined : entry.detail;
                const told = detail === undefined ? undefined : detailText({ kind: entry.kind, detail });
                const details = [told, entry.error].filter((text) => text !== undefined).join(" · ");
                return (
                  <tr key={`${entry.id} ${entry.at}`}>
                    <td>
                      <TimeText at={entry.at} asOf={answer.asOf} />
                    </td>
                    <td>{kind ? t(`kind_${kind}`) : <LiteralText text={entry.kind} />}</td>
                    <td className="max-w-48">
                      <LiteralText text={entry.actor ?? entry.owner ?? t("none")} />
                    </td>
                    <td className="w-full max-w-0 min-w-40">
                      <LiteralText text={details} className="text-ink-2" />
                    </td>
                    <td className="number">
                      {entry.durationMs === undefined ? t("none") : durationText(entry.durationMs, locale)}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function durationText(ms: number, locale: string): string {
  if (ms >= 1_000) return formatDuration(ms, locale);
  const number = new Intl.NumberFormat(locale, { style: "unit", unit: "millisecond", unitDisplay: "short" });
  return spaceNumbers(number.format(ms));
}
