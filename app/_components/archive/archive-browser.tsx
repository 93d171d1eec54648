"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import type { ArchiveSummary } from "../../_server/archive-summary.ts";
import type { ArchiveListAnswer } from "../../_server/browse-archive.ts";
import { LiveCard } from "../live-card.tsx";
import { useStillQuery } from "../use-still-query.ts";
import { ArchiveBanner } from "./archive-banner.tsx";
import { ArchiveChips } from "./archive-chips.tsx";
import { ArchiveCount } from "./archive-count.tsx";
import { ArchiveEmpty } from "./archive-empty.tsx";
import { ArchiveFilters } from "./archive-filters.tsx";
import { ArchiveFrame } from "./archive-frame.tsx";
import { ArchivePager } from "./archive-pager.tsx";
import { ArchiveTable } from "./archive-table.tsx";
import { archiveQuery, PAGE_ROWS, useArchiveView } from "./archive-view.ts";

/** The archive by time, type, state, key, cause and id. It is read when a person asks, never by itself. */
export function ArchiveBrowser() {
  const t = useTranslations("archive");
  const titleId = useId();
  const [view, show] = useArchiveView();
  const path = `/api/v1/archive${archiveQuery(view, { limit: String(PAGE_ROWS), ...(view.cursor ? { cursor: view.cursor } : {}) })}`;
  const list = useStillQuery<ArchiveListAnswer>(path);
  const summary = useStillQuery<ArchiveSummary>("/api/v1/archive/summary");
  return (
    <ArchiveFrame>
      <ArchiveBanner summary={summary.data} />
      <LiveCard
        labelledBy={titleId}
        query={list}
        skeleton={<RowsSkeleton />}
        header={
          <header className="grid gap-2 border-b border-line px-4 py-2.5">
            <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              {/* The frame shows the name already. */}
              <h1 id={titleId} className="sr-only">
                {t("title")}
              </h1>
              <p className="text-xs text-ink-3">{t("hint")}</p>
              <ArchiveCount view={view} />
            </div>
            <ArchiveFilters view={view} show={show} eventTypes={summary.data?.eventTypes ?? []} />
            <ArchiveChips view={view} show={show} />
            {list.error?.code === "database_timeout" && <p className="text-warn">{t("slowHint")}</p>}
          </header>
        }
      >
        {(page) => (
          <>
            {page.items.length === 0 ? (
              <ArchiveEmpty view={view} page={page} />
            ) : (
              <ArchiveTable page={page} show={show} />
            )}
            <ArchivePager page={page} view={view} show={show} />
          </>
        )}
      </LiveCard>
    </ArchiveFrame>
  );
}

function RowsSkeleton() {
  return ["w-40", "w-32", "w-48", "w-36", "w-44", "w-28"].map((width) => (
    <div key={width} className="flex h-12 items-center gap-6 border-b border-soft px-4 last:border-0">
      <span className="skeleton h-4 w-24" />
      <span className={`skeleton h-3.5 ${width}`} />
      <span className="skeleton h-3.5 flex-1" />
      <span className="skeleton h-3.5 w-40" />
    </div>
  ));
}
