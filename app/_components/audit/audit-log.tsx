"use client";

import { useQuery } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "next-intl";
import { useCallback, useId } from "react";
import type { AuditCount, AuditPage } from "../../_server/audit-schema.ts";
import { type ApiError, getJson } from "../api-client.ts";
import { BASE_PATH } from "../base-path.ts";
import { LiveCard } from "../live-card.tsx";
import { useCountText } from "../number-text.tsx";
import { StateMessage } from "../state-message.tsx";
import { useLiveQuery } from "../use-live-query.ts";
import { AuditDrawer } from "./audit-drawer.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditTable } from "./audit-table.tsx";
import { auditQuery, type AuditView, useAuditView } from "./use-audit-view.ts";

/** Who did what, newest first: filters, a page of entries, one entry beside it. */
export function AuditLog() {
  const t = useTranslations("audit");
  const titleId = useId();
  const view = useAuditView();
  const query = useLiveQuery<AuditPage>(`/api/v1/audit?${auditQuery(view.filters, view.cursor)}`);
  const { open } = view;
  const openEntry = useCallback((id: string) => open(id), [open]);
  return (
    <>
      <LiveCard
        labelledBy={titleId}
        query={query}
        skeleton={<RowsSkeleton />}
        header={
          <>
            <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5">
              <h1 id={titleId} className="font-semibold">
                {t("title")}
              </h1>
              <AuditTotal view={view} />
              <a href={`${BASE_PATH}/api/v1/audit.csv?${auditQuery(view.filters)}`} download className="button ms-auto">
                {t("csv")}
              </a>
            </header>
            <AuditFilters view={view} />
          </>
        }
      >
        {(page) => (
          <>
            {page.items.length > 0 ? (
              <AuditTable page={page} open={openEntry} />
            ) : (
              <NoEntries page={page} view={view} />
            )}
            <AuditPager page={page} view={view} />
          </>
        )}
      </LiveCard>
      {view.entry !== null && <AuditDrawer key={view.entry} id={view.entry} view={view} />}
    </>
  );
}

/** How many entries there are; comes after the rows and never holds them up. */
function AuditTotal({ view }: { view: AuditView }) {
  const t = useTranslations("audit");
  const countText = useCountText();
  const path = `/api/v1/audit/count?${auditQuery(view.filters)}`;
  const { data } = useQuery<AuditCount, ApiError>({
    queryKey: [path],
    queryFn: ({ signal }) => getJson<AuditCount>(path, signal),
    retry: false,
    networkMode: "always",
  });
  return (
    <p className="text-xs text-ink-3">
      {data ? t("total", { count: data.count, number: countText(data.count, data.isCapped) }) : t("hint")}
    </p>
  );
}

function NoEntries({ page, view }: { page: AuditPage; view: AuditView }) {
  const t = useTranslations("audit");
  if (page.searchedEntries !== undefined) return <StateMessage tone="neutral" title={t("noneSoFar")} />;
  if (view.cursor !== null) return <StateMessage tone="neutral" title={t("emptyPage")} />;
  if (!view.isFiltered) return <StateMessage tone="neutral" title={t("empty")} hint={t("emptyHint")} />;
  return (
    <StateMessage tone="neutral" title={t("emptyFiltered")}>
      <button type="button" className="button" onClick={view.clear}>
        {t("clear")}
      </button>
    </StateMessage>
  );
}

function AuditPager({ page, view }: { page: AuditPage; view: AuditView }) {
  const t = useTranslations("audit");
  const format = useFormatter();
  const { nextCursor, prevCursor, searchedEntries } = page;
  if (nextCursor === undefined && prevCursor === undefined && view.cursor === null) return null;
  return (
    <footer className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2">
      <p className="me-auto text-xs text-ink-3">
        {searchedEntries === undefined
          ? t("pageHint", { count: page.items.length })
          : t("searched", { number: format.number(searchedEntries) })}
      </p>
      {view.cursor !== null && (
        <button type="button" className="button" onClick={() => view.turn(null)}>
          {t("newest")}
        </button>
      )}
      {prevCursor !== undefined && (
        <button type="button" className="button" onClick={() => view.turn(prevCursor)}>
          {t("newer")}
        </button>
      )}
      {nextCursor !== undefined && (
        <button type="button" className="button" onClick={() => view.turn(nextCursor)}>
          {t("older")}
        </button>
      )}
    </footer>
  );
}

function RowsSkeleton() {
  return ["w-40", "w-32", "w-48", "w-36", "w-44", "w-28"].map((width) => (
    <div key={width} className="flex h-[34px] items-center gap-6 border-b border-soft px-4 last:border-0">
      <span className="skeleton h-3.5 w-44" />
      <span className={`skeleton h-3.5 ${width}`} />
      <span className="skeleton h-3.5 w-24" />
      <span className="skeleton h-3.5 flex-1" />
    </div>
  ));
}
