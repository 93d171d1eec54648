"use client";

import { useTranslations } from "next-intl";
import { useEffect, useId } from "react";
import type { BulkDetail as Detail } from "../../_server/read-bulk.ts";
import { LiveCard } from "../live-card.tsx";
import { useRefresh } from "../refresh.tsx";
import { useLiveQuery } from "../use-live-query.ts";
import { visibleText } from "../visible-text.ts";
import { BulkControls } from "./bulk-controls.tsx";
import { BulkFacts } from "./bulk-facts.tsx";
import { BulkItems } from "./bulk-items.tsx";
import { BulkOutcomeCard } from "./bulk-outcome-card.tsx";
import { BulkProgress } from "./bulk-progress.tsx";
import { BulkStateBadge } from "./bulk-state-badge.tsx";

const WATCHED_MS = 2_000;

/** One bulk action, kept fresh: its progress, what can be done with it, and what became of its tasks. */
export function BulkDetail({ id }: { id: string }) {
  const t = useTranslations("bulk");
  const titleId = useId();
  const query = useLiveQuery<Detail>(`/api/v1/bulk/${id}`);
  const { isPaused } = useRefresh();
  const { data, refetch } = query;
  const isMoving = data !== undefined && ["scheduled", "canary", "running"].includes(data.bulk.state);
  useEffect(() => {
    if (!isMoving || isPaused) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void refetch({ cancelRefetch: false });
    }, WATCHED_MS);
    return () => clearInterval(timer);
  }, [isMoving, isPaused, refetch]);
  return (
    <>
      <LiveCard
        labelledBy={titleId}
        query={query}
        skeleton={
          <div className="m-4 grid gap-3">
            {["w-64", "w-full", "w-40"].map((width) => (
              <span key={width} className={`skeleton h-4 ${width}`} />
            ))}
          </div>
        }
        header={
          <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2.5">
            <h1 id={titleId} dir="auto" className="min-w-0 text-lg font-semibold wrap-anywhere">
              {data ? `${t(`action_${data.bulk.action}`)} · ${visibleText(data.bulk.name)}` : t("number", { id })}
            </h1>
            {data && <BulkStateBadge bulk={data.bulk} />}
            {data && <BulkControls bulk={data.bulk} />}
          </header>
        }
      >
        {(detail) => (
          <div className="grid gap-4 p-4">
            <BulkProgress bulk={detail.bulk} asOf={detail.asOf} />
            <BulkFacts detail={detail} />
          </div>
        )}
      </LiveCard>
      {data && data.bulk.action !== "revert" && data.bulk.done > 0 && <BulkOutcomeCard bulk={data.bulk} />}
      {data && data.bulk.done + data.bulk.skipped > 0 && <BulkItems bulk={data.bulk} skips={data.skips} />}
    </>
  );
}
