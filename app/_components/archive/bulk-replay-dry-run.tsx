"use client";

import { useFormatter, useTranslations } from "next-intl";
import { useId } from "react";
import type { ReplayDryRun } from "../../_server/dry-run-replay.ts";
import { CountList, DryRunFact, DryRunFrame, useCauseRows } from "../bulk/dry-run-parts.tsx";
import { ErrorHead } from "../error-head.tsx";
import { LiteralText } from "../literal-text.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { TimeText } from "../time-text.tsx";

const TYPES_SHOWN = 8;

/** What a replay would do now: of which types, causes and final states, how old, what will be left alone, and some of them. */
export function BulkReplayDryRun(props: {
  dryRun: ReplayDryRun | undefined;
  isCounting: boolean;
  recount: () => void;
}) {
  const { dryRun } = props;
  return <DryRunFrame {...props}>{dryRun && dryRun.count > 0 && <Found dryRun={dryRun} />}</DryRunFrame>;
}

function Found({ dryRun }: { dryRun: ReplayDryRun }) {
  const t = useTranslations("bulkReplay");
  const panel = useTranslations("bulkPanel");
  const status = useTranslations("status");
  const causeRows = useCauseRows();
  return (
    <>
      <div className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
        <CountList
          title={panel("byType")}
          rows={dryRun.eventTypes
            .slice(0, TYPES_SHOWN)
            .map(({ eventType, count }) => ({ key: eventType, text: eventType, count }))}
        />
        <CountList
          title={t("byState")}
          rows={dryRun.states.map(({ state, count }) => ({ key: state, text: status(`${state}`), count }))}
        />
      </div>
      <CountList title={panel("byCause")} rows={causeRows(dryRun)} />
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 text-xs">
        {dryRun.oldestAt !== undefined && (
          <DryRunFact name={panel("oldest")}>
            <TimeText at={dryRun.oldestAt} asOf={dryRun.asOf} />
          </DryRunFact>
        )}
        {dryRun.newestAt !== undefined && (
          <DryRunFact name={panel("newest")}>
            <TimeText at={dryRun.newestAt} asOf={dryRun.asOf} />
          </DryRunFact>
        )}
      </dl>
      <Obstacles obstacles={dryRun.obstacles} />
      <details className="text-xs">
        <summary className="text-ink-2">{panel("samples")}</summary>
        <ul className="mt-1 grid grid-cols-1 gap-1">
          {dryRun.samples.map((sample) => (
            <li key={`${sample.id} ${sample.archivedAt}`} className="rounded-md bg-soft px-2 py-1">
              <span className="flex items-baseline gap-2">
                <LiteralText text={sample.eventType} className="font-medium" />
                <LiteralText text={sample.bizKey} className="font-mono" />
                <span className="ms-auto whitespace-nowrap">
                  {sample.status && <StatusBadge status={sample.status} />}
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

const KINDS = ["free", "liveTwin", "olderCopy", "replayed", "unknownType"] as const;

/** What stands against the replay of the first of them. A task may have several; each is counted for itself. */
function Obstacles({ obstacles }: { obstacles: ReplayDryRun["obstacles"] }) {
  const t = useTranslations("bulkReplay");
  const format = useFormatter();
  const ids = { title: useId(), hint: useId() };
  return (
    <section
      aria-labelledby={ids.title}
      aria-describedby={ids.hint}
      className={`grid gap-1 rounded-md px-3 py-2 text-xs ${obstacles.free < obstacles.looked ? "bg-warn-tint text-warn" : "bg-soft text-ink-2"}`}
    >
      <h4 id={ids.title} className="font-semibold">
        {t("aside")}
      </h4>
      <ul className="flex flex-wrap gap-x-5">
        {KINDS.filter((kind) => kind === "free" || obstacles[kind] > 0).map((kind) => (
          <li key={kind}>
            <span className="font-semibold">{format.number(obstacles[kind])}</span> {t(`${kind}`)}
          </li>
        ))}
      </ul>
      <p id={ids.hint}>{t("asideHint", { looked: obstacles.looked })}</p>
    </section>
  );
}
