"use client";

import { useFormatter, useTranslations } from "next-intl";
import Link from "next/link";
import { useId, useState } from "react";
import type { BulkOutcome } from "../../../db/queries/bulk-outcome.ts";
import type { BulkView } from "../../_server/bulk-view.ts";
import { LiveCard } from "../live-card.tsx";
import { useLiveQuery } from "../use-live-query.ts";
import { BulkPanel } from "./bulk-panel.tsx";

const KINDS = [
  { kind: "succeeded", colour: "text-succeeded" },
  { kind: "failed", colour: "text-failed" },
  { kind: "retrying", colour: "text-warn" },
  { kind: "waiting", colour: "text-ink" },
  { kind: "running", colour: "text-running" },
  { kind: "cancelled", colour: "text-ink" },
  { kind: "gone", colour: "text-ink" },
] as const;

/** What became, since, of the tasks that an action changed; those that failed again can be started anew. */
export function BulkOutcomeCard({ bulk }: { bulk: BulkView }) {
  const t = useTranslations("bulk");
  const format = useFormatter();
  const titleId = useId();
  const query = useLiveQuery<BulkOutcome>(`/api/v1/bulk/${bulk.id}/outcome`);
  const [isAsked, setAsked] = useState(false);
  const failed = query.data?.failed ?? 0;
  return (
    <>
      <LiveCard
        labelledBy={titleId}
        query={query}
        skeleton={<span className="skeleton m-4 h-8 w-64" />}
        header={
          <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2.5">
            <h2 id={titleId} className="font-semibold">
              {t("outcomeTitle")}
            </h2>
            <Link href={`/tasks?bulkId=${bulk.id}`} prefetch={false} className="text-accent hover:underline">
              {t("showTasks")}
            </Link>
            {failed > 0 && (
              <button type="button" className="button ms-auto" onClick={() => setAsked(true)}>
                {t("resetFailedAgain", { count: failed })}
              </button>
            )}
          </header>
        }
      >
        {(outcome) => (
          <div className="grid gap-2 p-4">
            <dl className="flex flex-wrap gap-x-8 gap-y-2">
              {KINDS.map(({ kind, colour }) => (
                <div key={kind}>
                  <dt className="text-xs text-ink-2">{t(`outcome_${kind}`)}</dt>
                  <dd className={`text-lg font-semibold ${outcome[kind] === 0 ? "text-ink-3" : colour}`}>
                    {format.number(outcome[kind])}
                  </dd>
                </div>
              ))}
            </dl>
            {outcome.looked < bulk.done && bulk.done > 100_000 && (
              <p className="text-xs text-ink-3">{t("outcomePartial", { count: format.number(outcome.looked) })}</p>
            )}
          </div>
        )}
      </LiveCard>
      {isAsked && (
        <BulkPanel action="reset" filter={{ state: "failed", bulkId: bulk.id }} close={() => setAsked(false)} />
      )}
    </>
  );
}
