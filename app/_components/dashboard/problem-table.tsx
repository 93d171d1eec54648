"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { useFormatter, useLocale, useTranslations } from "next-intl";
import dynamic from "next/dynamic";
import Link from "next/link";
import { memo, useId, useState } from "react";
import type { Overview } from "../../_server/count-tasks.ts";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import { useMay } from "../account/asker.tsx";
import type { ApiError } from "../api-client.ts";
import { formatDuration } from "../format-time.ts";
import { LiteralText } from "../literal-text.tsx";
import { LiveCard } from "../live-card.tsx";
import { useCountText } from "../number-text.tsx";
import { StateMessage } from "../state-message.tsx";
import { visibleText } from "../visible-text.ts";
import { ConcernBadge } from "./concern-badge.tsx";
import { tasksHref } from "./links.ts";
import { THRESHOLDS } from "./thresholds.ts";
import { type TypeState, typeStates } from "./verdict.ts";

// Loaded when first asked for.
const BulkPanel = dynamic(() => import("../bulk/bulk-panel.tsx").then((part) => part.BulkPanel), { ssr: false });

/** So many leave room for the charts below; the worst are among them. */
const SHOWN_FIRST = 10;

/** Every event type, the one with the worst problem first, with how its backlog moves. Numbers lead to their tasks. */
export function ProblemTable(props: {
  query: UseQueryResult<Overview, ApiError>;
  trends: DashboardTrends | undefined;
}) {
  const { query, trends } = props;
  const t = useTranslations("types");
  const titleId = useId();
  const [isWhole, setWhole] = useState(false);
  const [asked, setAsked] = useState<string>();
  return (
    <>
      <LiveCard
        labelledBy={titleId}
        query={query}
        skeleton={<TypeRowsSkeleton />}
        header={
          <header className="flex items-baseline justify-between gap-3 px-4 pt-3 pb-1">
            <h2 id={titleId} className="font-semibold">
              {t("title")}
            </h2>
            {query.data && query.data.eventTypes.length > 0 && (
              <p className="text-xs text-ink-3">{t("hint", { count: query.data.eventTypes.length })}</p>
            )}
          </header>
        }
      >
        {(overview) =>
          overview.eventTypes.length === 0 ? (
            <StateMessage tone="neutral" title={t("emptyTitle")} hint={t("emptyHint")} />
          ) : (
            <>
              <div className="relative overflow-x-auto" tabIndex={0} role="region" aria-label={t("caption")}>
                <table className="data-table type-table">
                  <caption className="sr-only">{t("caption")}</caption>
                  <thead>
                    <tr>
                      <th scope="col">{t("eventType")}</th>
                      <th scope="col">{t("state")}</th>
                      {(["failed", "due", "oldestDue", "failShare", "drain", "running", "recycled"] as const).map(
                        (key) => (
                          <th key={key} scope="col" className="number">
                            {t(`${key}`)}
                          </th>
                        ),
                      )}
                      <th scope="col">
                        <span className="sr-only">{t("actions")}</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {typeStates(overview, trends)
                      .slice(0, isWhole ? undefined : SHOWN_FIRST)
                      .map((state) => (
                        <TypeRow
                          key={state.type.eventType}
                          state={state}
                          countMax={overview.countMax}
                          askReset={setAsked}
                        />
                      ))}
                  </tbody>
                </table>
              </div>
              {overview.eventTypes.length > SHOWN_FIRST && (
                <div className="border-t border-soft px-4 py-2">
                  <button type="button" className="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
                    {isWhole
                      ? t("showWorst", { count: SHOWN_FIRST })
                      : t("showAll", { count: overview.eventTypes.length })}
                  </button>
                </div>
              )}
            </>
          )
        }
      </LiveCard>
      {asked !== undefined && (
        <BulkPanel action="reset" filter={{ state: "failed", eventTypes: [asked] }} close={() => setAsked(undefined)} />
      )}
    </>
  );
}

const TypeRow = memo(function TypeRow(props: {
  state: TypeState;
  countMax: number;
  askReset: (eventType: string) => void;
}) {
  const { state, countMax } = props;
  const { type, failShare } = state;
  const mayReset = useMay("bulk.act");
  const t = useTranslations("types");
  const locale = useLocale();
  const format = useFormatter();
  const count = useCountText();
  const isLate = type.oldestDueAgeMs >= THRESHOLDS.lateMs && !type.paused;
  const name = visibleText(type.eventType);
  const failed = count(type.failed, type.failed >= countMax);
  return (
    <tr>
      <th scope="row" className="max-w-72 border-soft! text-sm! text-ink!">
        <LiteralText text={type.eventType} className={state.concerns.length > 0 ? "font-semibold" : "font-normal"} />
        <span className="flex py-1 sm:hidden">
          <ConcernBadge state={state} />
        </span>
      </th>
      <td>
        <ConcernBadge state={state} />
      </td>
      <td className="number">
        {type.failed === 0 ? (
          <Nothing text="0" />
        ) : (
          <Link
            href={tasksHref({ state: "failed", eventType: type.eventType })}
            prefetch={false}
            title={t("showFailed", { eventType: name })}
            className="rounded px-1 font-semibold text-failed underline-offset-2 hover:underline"
          >
            {failed}
          </Link>
        )}
      </td>
      <td className="number">
        {type.due === 0 ? (
          <Nothing text="0" />
        ) : (
          <Link
            href={tasksHref({ state: "due", eventType: type.eventType })}
            prefetch={false}
            title={t("showDue", { eventType: name })}
            className="rounded px-1 underline-offset-2 hover:underline"
          >
            {count(type.due, type.due >= countMax)}
          </Link>
        )}
      </td>
      <td className={`number ${isLate ? "font-semibold text-warn" : ""}`}>
        {type.oldestDueAgeMs > 0 ? formatDuration(type.oldestDueAgeMs, locale) : <Nothing text={t("none")} />}
      </td>
      <td className={`number ${(failShare ?? 0) >= THRESHOLDS.failShare ? "font-semibold text-warn" : ""}`}>
        {failShare ? (
          format.number(failShare, { style: "percent", maximumFractionDigits: 1 })
        ) : (
          <Nothing text={failShare === 0 ? "0%" : "–"} />
        )}
      </td>
      <td className="number">
        <Drain state={state} />
      </td>
      <td className="number">
        {type.running === 0 ? <Nothing text="0" /> : count(type.running, type.running >= countMax)}
      </td>
      <td className={`number ${type.recycled24h ? "font-semibold text-recycled" : ""}`}>
        {type.recycled24h ? count(type.recycled24h) : <Nothing text={type.recycled24h === null ? "–" : "0"} />}
      </td>
      <td className="text-end">
        {mayReset && type.failed > 0 && (
          <button
            type="button"
            aria-label={t("resetType", { eventType: name, count: type.failed, number: failed })}
            onClick={() => props.askReset(type.eventType)}
            className="button"
          >
            {t("reset", { number: failed })}
          </button>
        )}
      </td>
    </tr>
  );
});

/** When the backlog is gone if it goes on like this. A paused type does not drain, and everybody knows why. */
function Drain({ state }: { state: TypeState }) {
  const t = useTranslations("types");
  const locale = useLocale();
  const { drain, type } = state;
  if (type.due === 0 || drain === null || drain === "none" || type.paused) return <Nothing text="–" />;
  if (drain === "not_draining") {
    const isLate = type.oldestDueAgeMs >= THRESHOLDS.lateMs;
    return <span className={isLate ? "font-semibold text-warn" : "text-ink-3"}>{t("notDraining")}</span>;
  }
  return formatDuration(drain.inMs, locale);
}

function Nothing({ text }: { text: string }) {
  return <span className="text-ink-3">{text}</span>;
}

function TypeRowsSkeleton() {
  return [64, 40, 52].map((width) => (
    <div key={width} className="flex h-[34px] items-center justify-between gap-6 px-4">
      <span className={`skeleton h-3.5 ${width > 60 ? "w-40" : width > 50 ? "w-28" : "w-36"}`} />
      <span className="skeleton h-3.5 w-1/3" />
    </div>
  ));
}
