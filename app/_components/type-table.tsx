"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { useLocale, useTranslations } from "next-intl";
import { memo, useId } from "react";
import type { Overview, TypeOverview } from "../_server/count-tasks.ts";
import type { ApiError } from "./api-client.ts";
import { formatDuration } from "./format-time.ts";
import { Icon } from "./icons.tsx";
import { LiteralText } from "./literal-text.tsx";
import { LiveCard } from "./live-card.tsx";
import { useCountText } from "./number-text.tsx";
import { worstFirst } from "./overview-totals.ts";
import { StateMessage } from "./state-message.tsx";
import { showFailedOfType } from "./task-list-address.ts";

/** Live counts per event type, worst first. A number of failed tasks leads to these tasks. */
export function TypeTable({ query }: { query: UseQueryResult<Overview, ApiError> }) {
  const t = useTranslations("types");
  const titleId = useId();
  return (
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
      {({ eventTypes, countMax }) =>
        eventTypes.length === 0 ? (
          <StateMessage tone="neutral" title={t("emptyTitle")} hint={t("emptyHint")} />
        ) : (
          <div className="overflow-x-auto">
            <table className="data-table">
              <caption className="sr-only">{t("caption")}</caption>
              <thead>
                <tr>
                  <th scope="col">{t("eventType")}</th>
                  <th scope="col" className="number">
                    {t("failed")}
                  </th>
                  <th scope="col" className="number">
                    {t("pending")}
                  </th>
                  <th scope="col" className="number">
                    {t("oldestDue")}
                  </th>
                  <th scope="col" className="number">
                    {t("running")}
                  </th>
                  <th scope="col" className="number">
                    {t("recycled")}
                  </th>
                </tr>
              </thead>
              <tbody>
                {worstFirst(eventTypes).map((type) => (
                  <TypeRow key={type.eventType} type={type} countMax={countMax} />
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </LiveCard>
  );
}

const TypeRow = memo(function TypeRow({ type, countMax }: { type: TypeOverview; countMax: number }) {
  const t = useTranslations("types");
  const locale = useLocale();
  const count = useCountText();
  return (
    <tr>
      <th scope="row" className="max-w-72 border-soft! text-sm! text-ink!">
        <span className="flex items-center gap-2">
          <LiteralText text={type.eventType} className={type.failed > 0 ? "font-semibold" : "font-normal"} />
          {type.paused && (
            <span className="flex items-center gap-1 rounded-[5px] bg-pending-tint px-1.5 text-xs text-pending">
              <Icon name="pause" className="size-3" />
              {t("paused")}
            </span>
          )}
        </span>
      </th>
      <td className="number">
        {type.failed === 0 ? (
          <span className="text-ink-3">0</span>
        ) : (
          <button
            type="button"
            title={t("showFailed", { eventType: type.eventType })}
            onClick={() => showFailedOfType(type.eventType)}
            className="-me-1 min-h-6 min-w-6 rounded px-1 text-end font-semibold text-failed underline-offset-2 hover:underline"
          >
            {count(type.failed, type.failed >= countMax)}
          </button>
        )}
      </td>
      <Count value={type.pending} text={count(type.pending, type.pending >= countMax)} />
      <td className="number">
        {type.oldestDueAgeMs > 0 ? (
          formatDuration(type.oldestDueAgeMs, locale)
        ) : (
          <span className="text-ink-3">{t("none")}</span>
        )}
      </td>
      <Count value={type.running} text={count(type.running, type.running >= countMax)} />
      <Count value={type.recycled24h} text={count(type.recycled24h)} colour="text-recycled font-semibold" />
    </tr>
  );
});

function Count({ value, text, colour = "" }: { value: number; text: string; colour?: string }) {
  return <td className={`number ${value === 0 ? "text-ink-3" : colour}`}>{text}</td>;
}

function TypeRowsSkeleton() {
  return [64, 40, 52].map((width) => (
    <div key={width} className="flex h-[34px] items-center justify-between gap-6 px-4">
      <span className={`skeleton h-3.5 ${width > 60 ? "w-40" : width > 50 ? "w-28" : "w-36"}`} />
      <span className="skeleton h-3.5 w-1/3" />
    </div>
  ));
}
