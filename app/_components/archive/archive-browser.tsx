"use client";

import { useTranslations } from "next-intl";
import dynamic from "next/dynamic";
import { useId, useState } from "react";
import type { ArchiveSummary } from "../../_server/archive-summary.ts";
import type { ArchiveListAnswer } from "../../_server/browse-archive.ts";
import { useMay } from "../account/asker.tsx";
import { LiveCard } from "../live-card.tsx";
import { NOTHING_SELECTED, type Selection, toggle, togglePage } from "../tasks/selection.ts";
import { useStillQuery } from "../use-still-query.ts";
import { ArchiveBanner } from "./archive-banner.tsx";
import { ArchiveChips } from "./archive-chips.tsx";
import { ArchiveCount } from "./archive-count.tsx";
import { ArchiveEmpty } from "./archive-empty.tsx";
import { ArchiveFilters } from "./archive-filters.tsx";
import { ArchiveFrame } from "./archive-frame.tsx";
import { ArchivePager } from "./archive-pager.tsx";
import type { Picking } from "./archive-picking.tsx";
import { ArchiveTable } from "./archive-table.tsx";
import { type ReplayTargets, selectionKey } from "./archive-targets.ts";
import { archiveQuery, PAGE_ROWS, useArchiveView } from "./archive-view.ts";
import { ArchiveSelectionBar } from "./bulk-replay-bar.tsx";

// Loaded when first asked for.
const BulkReplayPanel = dynamic(() => import("./bulk-replay-panel.tsx").then((part) => part.BulkReplayPanel), {
  ssr: false,
});

/** The archive by time, type, state, key, cause and id. It is read when a person asks, never by itself. */
export function ArchiveBrowser() {
  const t = useTranslations("archive");
  const titleId = useId();
  const [view, show] = useArchiveView();
  const path = `/api/v1/archive${archiveQuery(view, { limit: String(PAGE_ROWS), ...(view.cursor ? { cursor: view.cursor } : {}) })}`;
  const list = useStillQuery<ArchiveListAnswer>(path);
  const summary = useStillQuery<ArchiveSummary>("/api/v1/archive/summary");
  const replay = useTranslations("bulkReplay");
  const mayReplay = useMay("archive.replay");
  // A selection is of one filter: it stays while its pages are turned, and ends with it.
  const filter = archiveQuery(view);
  const [picked, setPicked] = useState({ filter, selection: NOTHING_SELECTED });
  const selection = picked.filter === filter ? picked.selection : NOTHING_SELECTED;
  const [asked, setAsked] = useState<ReplayTargets>();
  const select = (next: Selection) => setPicked({ filter, selection: next });
  const keys = (list.data?.items ?? []).map(selectionKey);
  const picking: Picking | undefined = mayReplay
    ? {
        selection,
        pick: (item, isRange) => select(toggle(selection, selectionKey(item), keys, isRange)),
        pickPage: () => select(togglePage(selection, keys)),
      }
    : undefined;
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
              {mayReplay && keys.length > 0 && (
                <button type="button" className="button" onClick={() => setAsked({ view })}>
                  {replay("matching")}
                </button>
              )}
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
              <ArchiveTable page={page} show={show} picking={picking} />
            )}
            <ArchivePager page={page} view={view} show={show} />
          </>
        )}
      </LiveCard>
      {selection.ids.size > 0 && (
        <ArchiveSelectionBar
          selection={selection}
          clear={() => select(NOTHING_SELECTED)}
          replay={(tasks) => setAsked({ picked: tasks })}
        />
      )}
      {/* Not within the bar: that goes with the selection, which ends with the order. */}
      {asked && (
        <BulkReplayPanel targets={asked} close={() => setAsked(undefined)} onOrdered={() => select(NOTHING_SELECTED)} />
      )}
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
