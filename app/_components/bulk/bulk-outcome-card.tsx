"use client";

import { useFormatter, useTranslations } from "next-intl";
import Link from "next/link";
import { useId, useState } from "react";
import type { BulkOutcome } from "../../../db/queries/bulk-outcome.ts";
import type { BulkView } from "../../_server/bulk-view.ts";
import { useMay } from "../account/asker.tsx";
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
  const mayAct = useMay("bulk.act");
  const [asked, setAsked] = useState<"reset" | "cancel">();
  const isReplay = bulk.action === "replay";
  const { failed, retrying, waiting } = query.data ?? { failed: 0, retrying: 0, waiting: 0 };
  const askFor = (action: "reset" | "cancel", text: string) => (
    <button type="button" className="button" onClick={() => setAsked(action)}>
      {text}
    </button>
  );
  return (
    <>
      <LiveCard
        labelledBy={titleId}
        query={query}
        skeleton={<span className="skeleton m-4 h-8 w-64" />}
        header={
          <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2.5">
            <h2 id={titleId} className="font-semibold">
              {isReplay ? t("outcomeReplay") : t("outcomeTitle")}
            </h2>
            <Link href={`/tasks?bulkId=${bulk.id}`} prefetch={false} className="text-accent hover:underline">
              {t("showTasks")}
            </Link>
            {mayAct && (
              <span className="ms-auto flex flex-wrap gap-2">
                {isReplay && failed + retrying + waiting > 0 && askFor("cancel", t("cancelNew"))}
                {failed > 0 && askFor("reset", t("resetFailedAgain", { count: failed }))}
              </span>
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
      {asked && (
        <BulkPanel
          action={asked}
          filter={{ state: asked === "reset" ? "failed" : "all", bulkId: bulk.id }}
          close={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
