"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import { type ReactNode, useId } from "react";
import type { ArchivedTaskAnswer } from "../../_server/archived-task.ts";
import { ErrorText } from "../task/error-text.tsx";
import { TimeText } from "../time-text.tsx";
import { useStrategyName } from "../use-strategy-name.ts";
import { visibleText } from "../visible-text.ts";
import { archivePageOf } from "./archive-view.ts";

const REASONS = ["exhausted", "non_retryable", "abandoned"] as const;

/** The columns of an archived task in words, and its last error whole. */
export function ArchivedFacts({ answer }: { answer: ArchivedTaskAnswer }) {
  const { task, asOf } = answer;
  const t = useTranslations("archived");
  const reasons = useTranslations("reason");
  const strategyName = useStrategyName();
  const titleId = useId();
  const time = (at: string | undefined) => (at === undefined ? t("none") : <TimeText at={at} asOf={asOf} />);
  const text = (value: string | undefined) => (value === undefined ? t("none") : visibleText(value));
  const reason = REASONS.find((one) => one === task.finishReason);
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t("eventType"), text(task.eventType)],
    [t("bizKey"), <Filtered key="key" value={task.bizKey} filter={{ key: task.bizKey }} label={t("sameKey")} />],
    [t("id"), task.id],
    [t("attempts"), t("failures", { count: task.retryCount, max: task.maxRetryCount })],
    [t("finishReason"), reason ? reasons(`${reason}`) : text(task.finishReason)],
    [t("recycles"), task.recycleCount],
    [
      t("strategy"),
      t("strategyValue", {
        strategy: task.retryStrategy === undefined ? t("none") : strategyName(task.retryStrategy),
        seconds: task.firstRetryIntervalSeconds,
      }),
    ],
    [t("created"), time(task.createdAt)],
    [t("started"), time(task.startedAt)],
    [t("finished"), time(task.finishedAt)],
    [t("archivedTime"), time(task.archivedAt)],
    [t("owner"), text(task.owner ?? task.ip)],
    [t("claimNo"), task.claimNo],
    [t("origin"), text(task.origin)],
    [t("trace"), text(task.traceParent)],
    [
      t("cause"),
      task.errorFingerprint === undefined ? (
        t("none")
      ) : (
        <Filtered
          key="cause"
          value={task.errorFingerprint}
          filter={{ cause: task.errorFingerprint }}
          label={t("sameCause")}
        />
      ),
    ],
  ];
  return (
    <section aria-labelledby={titleId} className="grid gap-2">
      <h2 id={titleId} className="font-semibold">
        {t("facts")}
      </h2>
      <dl className="grid grid-cols-1 gap-x-8 gap-y-1 sm:grid-cols-2 xl:grid-cols-3">
        {facts.map(([name, value]) => (
          <div
            key={name}
            className="grid min-w-0 grid-cols-[8rem_minmax(0,1fr)] sm:grid-cols-[9.5rem_minmax(0,1fr)] gap-2 border-b border-soft py-0.5"
          >
            <dt className="text-ink-2">{name}</dt>
            <dd dir="auto" className="min-w-0 wrap-anywhere [&_time]:whitespace-normal">
              {value}
            </dd>
          </div>
        ))}
      </dl>
      {task.lastError !== undefined && (
        <>
          <h3 className="mt-1 text-ink-2">{t("lastError")}</h3>
          <ErrorText text={task.lastError} />
        </>
      )}
    </section>
  );
}

function Filtered(props: { value: string; filter: Parameters<typeof archivePageOf>[0]; label: string }) {
  return (
    <Link
      href={archivePageOf(props.filter)}
      title={props.label}
      className="font-mono text-xs text-accent hover:underline"
    >
      {visibleText(props.value)}
    </Link>
  );
}
