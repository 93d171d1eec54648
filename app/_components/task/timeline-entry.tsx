"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import type { AttemptItem } from "../../_server/list-attempts.ts";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { visibleText } from "../visible-text.ts";
import { attemptDetail } from "./attempt-detail.ts";
import { ErrorText } from "./error-text.tsx";
import { triggerOf, waitMs } from "./timeline-facts.ts";
import { useDetailText } from "./use-detail-text.ts";
import { useTimeTexts } from "./use-time-texts.ts";

const DOT = {
  retried: "bg-(--chart-retried)",
  failed: "bg-failed-fill",
  snoozed: "bg-pending",
  recycled: "hatched border border-dashed border-recycled",
  stale: "border-2 border-recycled bg-card",
  cancelled: "bg-pending",
  reset: "bg-accent",
  replayed: "bg-accent",
  undone: "bg-accent",
  run_now: "bg-accent",
  edited: "bg-accent",
} as const satisfies Record<AttemptItem["kind"], string>;

/** One entry of the history: what it was, who made it, how long it took, what it said. */
export function TimelineEntry(props: {
  entry: AttemptItem;
  older: AttemptItem | undefined;
  newer: AttemptItem | undefined;
  /** Nothing happened before it. */
  isFirst: boolean;
}) {
  const { entry, older, newer } = props;
  const t = useTranslations("attempt");
  const texts = useTimeTexts();
  const title = useTitle(entry);
  const detailText = useDetailText();
  const isRun = entry.kind === "retried" || entry.kind === "failed" || entry.kind === "snoozed";
  const trigger = isRun ? triggerOf(entry, older, props.isFirst) : undefined;
  const waited = isRun ? waitMs(entry, older) : undefined;
  const facts = [
    entry.owner !== undefined && visibleText(entry.owner),
    trigger && t("trigger", { trigger: t(`trigger${trigger}`) }),
    waited !== undefined && t("waited", { duration: texts.duration(waited) }),
    entry.durationMs !== undefined && t("ran", { duration: texts.duration(entry.durationMs) }),
    t("claim", { n: entry.claimNo }),
    entry.nextRetryAt !== undefined && t("next", { time: texts.instant(entry.nextRetryAt) }),
  ].filter((fact) => typeof fact === "string");
  const isHuman = entry.actor !== undefined;
  // Of a failure it is the finish reason, which the title says.
  const told = entry.kind === "failed" ? undefined : entry.detail;
  const detail = told === undefined ? undefined : detailText({ kind: entry.kind, detail: told });
  const isKnown = told !== undefined && attemptDetail(entry.kind, told).code !== "text";
  const isSame = entry.error !== undefined && entry.error === newer?.error;
  return (
    <EntryRow dot={DOT[entry.kind]} at={entry.at} title={title} isHatched={entry.kind === "recycled"}>
      {entry.kind === "recycled" && <p className="text-recycled">{t("recycledUnknown")}</p>}
      {entry.kind === "reset" && <p className="text-ink-2">{t("resetCounts", { count: entry.retryCount })}</p>}
      {detail !== undefined && (
        <p dir="auto" className="text-ink-2 wrap-anywhere">
          {isHuman && !isKnown ? `“${detail}”` : detail}
        </p>
      )}
      {!isHuman && <p className="text-xs text-ink-3 wrap-anywhere">{facts.join(" · ")}</p>}
      {isSame ? (
        <p className="text-xs text-ink-3">{t("sameError")}</p>
      ) : (
        entry.error !== undefined && <ErrorText text={entry.error} />
      )}
    </EntryRow>
  );
}

/** The end or the run that the history holds no entry of: a success, or what is happening now. */
export function CurrentEntry({ answer: { task, asOf } }: { answer: TaskAnswer }) {
  const t = useTranslations("attempt");
  const texts = useTimeTexts();
  const isRunning = task.status === "running";
  const endedAt = task.finishedAt ?? task.updatedAt;
  const ranMs = task.startedAt && Date.parse(isRunning ? asOf : endedAt) - Date.parse(task.startedAt);
  const facts = [
    task.owner !== undefined && visibleText(task.owner),
    typeof ranMs === "number" && ranMs >= 0 && t("ran", { duration: texts.duration(ranMs) }),
    t("claim", { n: task.claimNo }),
  ].filter((fact) => typeof fact === "string");
  const title = isRunning ? t("running") : task.finishReason === "skipped" ? t("succeededSkipped") : t("succeeded");
  return (
    <EntryRow
      dot={isRunning ? "bg-running" : "bg-succeeded"}
      at={isRunning ? (task.startedAt ?? task.updatedAt) : endedAt}
      title={title}
    >
      <p className="text-xs text-ink-3 wrap-anywhere">{facts.join(" · ")}</p>
    </EntryRow>
  );
}

function EntryRow(props: { dot: string; at: string; title: string; isHatched?: boolean; children: ReactNode }) {
  const texts = useTimeTexts();
  return (
    <li
      className={`grid grid-cols-[12px_minmax(0,1fr)] gap-x-3 border-b border-soft px-4 py-2 last:border-0 sm:grid-cols-[12px_minmax(0,1fr)_auto] ${
        props.isHatched ? "hatched-faint" : ""
      }`}
    >
      <span aria-hidden="true" className={`mt-[5px] size-2.5 rounded-full forced-color-adjust-none ${props.dot}`} />
      <div className="grid min-w-0 gap-0.5">
        <p className="font-medium wrap-anywhere">{props.title}</p>
        {props.children}
      </div>
      <time
        dateTime={props.at}
        title={texts.utc(props.at)}
        className="text-xs whitespace-nowrap text-ink-3 max-sm:col-start-2"
      >
        {texts.instant(props.at)}
      </time>
    </li>
  );
}

function useTitle(entry: AttemptItem): string {
  const t = useTranslations("attempt");
  const actor = entry.actor === undefined ? t("somebody") : visibleText(entry.actor);
  switch (entry.kind) {
    case "retried":
      return t("retried", { n: entry.retryCount });
    case "failed":
      return t("failedLast", { n: entry.retryCount });
    case "snoozed":
      return t("snoozed");
    case "recycled":
      return t("recycled");
    case "stale":
      return t("stale");
    case "reset":
      return t("reset", { actor });
    case "cancelled":
      return entry.actor === undefined ? t("cancelledHandler") : t("cancelledBy", { actor });
    case "replayed":
      return t("replayed", { actor });
    case "undone":
      return t("undone", { actor });
    case "run_now":
      return t("run_now", { actor });
    case "edited":
      return t("edited", { actor });
  }
}
