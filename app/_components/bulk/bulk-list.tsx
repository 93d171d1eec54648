"use client";

import { useFormatter, useTranslations } from "next-intl";
import Link from "next/link";
import { useQueryState, parseAsString } from "nuqs";
import { useId } from "react";
import type { BulkPage } from "../../_server/read-bulk.ts";
import type { BulkView } from "../../_server/bulk-view.ts";
import { LiteralText } from "../literal-text.tsx";
import { LiveCard } from "../live-card.tsx";
import { StateMessage } from "../state-message.tsx";
import { TimeText } from "../time-text.tsx";
import { useLiveQuery } from "../use-live-query.ts";
import { BulkMeter } from "./bulk-meter.tsx";
import { useScopeWords } from "./bulk-scope-words.tsx";
import { BulkStateBadge } from "./bulk-state-badge.tsx";

/** All bulk actions the person may see, kept fresh. */
export function BulkList() {
  const t = useTranslations("bulk");
  const titleId = useId();
  const [cursor, setCursor] = useQueryState("cursor", parseAsString.withOptions({ history: "push" }));
  const query = useLiveQuery<BulkPage>(`/api/v1/bulk?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
  return (
    <LiveCard
      labelledBy={titleId}
      query={query}
      skeleton={<BulkRowsSkeleton />}
      header={
        <header className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-4 py-2.5">
          <h2 id={titleId} className="font-semibold">
            {t("title")}
          </h2>
          <p className="text-xs text-ink-3">{t("hint")}</p>
        </header>
      }
    >
      {(page) => (
        <>
          {page.items.length === 0 && cursor === null ? (
            <StateMessage tone="neutral" icon="redrive" title={t("emptyTitle")} hint={t("emptyHint")}>
              <Link href="/causes" className="button">
                {t("toCauses")}
              </Link>
            </StateMessage>
          ) : (
            <BulkTable page={page} />
          )}
          {(page.nextCursor !== undefined || cursor !== null) && (
            <footer className="flex justify-end gap-2 border-t border-line px-4 py-2">
              {cursor !== null && (
                <button type="button" className="button" onClick={() => void setCursor(null)}>
                  {t("newest")}
                </button>
              )}
              {page.nextCursor !== undefined && (
                <button type="button" className="button" onClick={() => void setCursor(page.nextCursor ?? null)}>
                  {t("older")}
                </button>
              )}
            </footer>
          )}
        </>
      )}
    </LiveCard>
  );
}

function BulkTable({ page }: { page: BulkPage }) {
  const t = useTranslations("bulk");
  return (
    <div className="table-frame">
      <table className="data-table max-[900px]:card-rows">
        <caption className="sr-only">{t("caption")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("colState")}</th>
            <th scope="col">{t("colName")}</th>
            <th scope="col">{t("colProgress")}</th>
            <th scope="col">{t("colWho")}</th>
            <th scope="col">{t("colWhen")}</th>
          </tr>
        </thead>
        <tbody>
          {page.items.map((bulk) => (
            <BulkRow key={bulk.id} bulk={bulk} asOf={page.asOf} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function BulkRow({ bulk, asOf }: { bulk: BulkView; asOf: string }) {
  const t = useTranslations("bulk");
  const format = useFormatter();
  const words = useScopeWords();
  return (
    <tr>
      <td>
        <BulkStateBadge bulk={bulk} />
      </td>
      <td className="w-full max-w-0 max-sm:max-w-none">
        <Link href={`/bulk/${bulk.id}`} className="font-medium hover:underline">
          <LiteralText text={`${t(`action_${bulk.action}`)} · ${bulk.name}`} />
        </Link>
        <LiteralText text={words(bulk.filter).join(" · ")} className="text-xs text-ink-3" />
      </td>
      <td>
        <span className="block text-xs">
          {t("progress", { done: format.number(bulk.done), estimate: format.number(bulk.estimate) })}
        </span>
        <BulkMeter bulk={bulk} className="w-40 max-sm:w-full" />
      </td>
      <td className="max-w-40">
        <LiteralText text={bulk.actor} />
      </td>
      <td>
        <TimeText at={bulk.createdAt} asOf={asOf} />
      </td>
    </tr>
  );
}

function BulkRowsSkeleton() {
  return ["w-56", "w-40", "w-64"].map((width) => (
    <div key={width} className="flex h-12 items-center gap-6 border-b border-soft px-4 last:border-0">
      <span className="skeleton h-4 w-24" />
      <span className={`skeleton h-3.5 ${width}`} />
      <span className="skeleton h-3.5 flex-1" />
    </div>
  ));
}
