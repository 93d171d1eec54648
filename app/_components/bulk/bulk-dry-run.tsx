"use client";

import { useFormatter, useTranslations } from "next-intl";
import { type ReactNode, useId } from "react";
import type { DryRun } from "../../_server/dry-run-bulk.ts";
import { AttemptBar } from "../attempt-bar.tsx";
import { ErrorHead } from "../error-head.tsx";
import { LiteralText } from "../literal-text.tsx";
import { useCountText } from "../number-text.tsx";
import { TimeText } from "../time-text.tsx";

/** What an action would do now: how many tasks, of which types and causes, how old, and some of them. */
export function BulkDryRun(props: { dryRun: DryRun | undefined; isCounting: boolean; recount: () => void }) {
  const { dryRun, isCounting } = props;
  const t = useTranslations("bulkPanel");
  const countText = useCountText();
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} aria-busy={isCounting} className="grid gap-2">
      <header className="flex items-baseline gap-3">
        <h3 id={titleId} className="font-semibold">
          {t("dryRun")}
        </h3>
        <p role="status" className="text-base font-semibold">
          {dryRun === undefined || isCounting
            ? t("counting")
            : dryRun.count === 0
              ? t("nothing")
              : t("matches", { count: countText(dryRun.count, dryRun.isCapped) })}
        </p>
        <button type="button" className="button ms-auto" onClick={props.recount}>
          {t("recount")}
        </button>
      </header>
      {dryRun && dryRun.count > 0 && <Found dryRun={dryRun} />}
    </section>
  );
}

function Found({ dryRun }: { dryRun: DryRun }) {
  const t = useTranslations("bulkPanel");
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
        <CountList
          title={t("byCause")}
          rows={[
            ...dryRun.causes.slice(0, 6).map(({ cause, count, errorHead }) => ({
              key: cause,
              text: errorHead ?? (cause === "none" ? t("noCause") : cause),
              count,
            })),
            ...(dryRun.otherCauses > 0 ? [{ key: "others", text: t("others"), count: dryRun.otherCauses }] : []),
          ]}
        />
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 text-xs">
        {dryRun.oldestAt !== undefined && (
          <Fact name={t("oldest")}>
            <TimeText at={dryRun.oldestAt} asOf={dryRun.asOf} />
          </Fact>
        )}
        {dryRun.newestAt !== undefined && (
          <Fact name={t("newest")}>
            <TimeText at={dryRun.newestAt} asOf={dryRun.asOf} />
          </Fact>
        )}
      </dl>
      {resetOften.count > 0 && (
        <p className="rounded-md bg-warn-tint px-3 py-1.5 text-xs text-warn">{t("resetOften", resetOften)}</p>
      )}
      <details className="text-xs">
        <summary className="text-ink-2">{t("samples")}</summary>
        <ul className="mt-1 grid gap-1">
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="col-span-2 grid grid-cols-subgrid">
      <dt className="text-ink-2">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function CountList(props: {
  title: string;
  rows: readonly { readonly key: string; readonly text: string; readonly count: number }[];
}) {
  const format = useFormatter();
  const titleId = useId();
  return (
    <div className="min-w-0">
      <h4 id={titleId} className="text-xs text-ink-2">
        {props.title}
      </h4>
      <ul aria-labelledby={titleId}>
        {props.rows.map(({ key, text, count }) => (
          <li key={key} className="flex items-baseline gap-2 border-b border-soft py-0.5 last:border-0">
            <span className="min-w-0 flex-1">
              <LiteralText text={text} />
            </span>
            <span className="font-medium">{format.number(count)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
