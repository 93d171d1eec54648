"use client";

import { useTranslations } from "next-intl";
import type { DryRun } from "../../_server/dry-run-bulk.ts";
import { AttemptBar } from "../attempt-bar.tsx";
import { ErrorHead } from "../error-head.tsx";
import { LiteralText } from "../literal-text.tsx";
import { TimeText } from "../time-text.tsx";
import { CountList, DryRunFact, DryRunFrame, useCauseRows } from "./dry-run-parts.tsx";

/** What an action would do now: how many tasks, of which types and causes, how old, and some of them. */
export function BulkDryRun(props: { dryRun: DryRun | undefined; isCounting: boolean; recount: () => void }) {
  const { dryRun } = props;
  return <DryRunFrame {...props}>{dryRun && dryRun.count > 0 && <Found dryRun={dryRun} />}</DryRunFrame>;
}

function Found({ dryRun }: { dryRun: DryRun }) {
  const t = useTranslations("bulkPanel");
  const causeRows = useCauseRows();
  const { resetOften } = dryRun;
  return (
    <>
      <div className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
        <CountList
          title={t("byType")}
          rows={dryRun.eventTypes
            .slice(0, 8)
            .map(({ eventType, count }) => ({ key: eventType, text: eventType, count }))}
        />
        <CountList title={t("byCause")} rows={causeRows(dryRun)} />
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 text-xs">
        {dryRun.oldestAt !== undefined && (
          <DryRunFact name={t("oldest")}>
            <TimeText at={dryRun.oldestAt} asOf={dryRun.asOf} />
          </DryRunFact>
        )}
        {dryRun.newestAt !== undefined && (
          <DryRunFact name={t("newest")}>
            <TimeText at={dryRun.newestAt} asOf={dryRun.asOf} />
          </DryRunFact>
        )}
      </dl>
      {resetOften.count > 0 && (
        <p className="rounded-md bg-warn-tint px-3 py-1.5 text-xs text-warn">{t("resetOften", resetOften)}</p>
      )}
      <details className="text-xs">
        <summary className="text-ink-2">{t("samples")}</summary>
        <ul className="mt-1 grid grid-cols-1 gap-1">
          {dryRun.samples.map((sample) => (
            <li key={sample.id} className="rounded-md bg-soft px-2 py-1">
              <span className="flex items-baseline gap-2">
                <LiteralText text={sample.eventType} className="font-medium" />
                <LiteralText text={sample.bizKey} className="font-mono" />
                <span className="ms-auto whitespace-nowrap">
                  <AttemptBar count={sample.retryCount} max={sample.maxRetryCount} />
                </span>
              </span>
              {sample.errorHead !== undefined && <ErrorHead text={sample.errorHead} className="text-ink-2" />}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}
