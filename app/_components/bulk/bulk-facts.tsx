"use client";

import { useFormatter, useLocale, useTranslations } from "next-intl";
import Link from "next/link";
import type { ReactNode } from "react";
import type { BulkDetail } from "../../_server/read-bulk.ts";
import { formatDuration } from "../format-time.ts";
import { TimeText } from "../time-text.tsx";
import { visibleText } from "../visible-text.ts";
import { BulkPace } from "./bulk-pace.tsx";
import { useScopeWords } from "./bulk-scope-words.tsx";

/** What was ordered, by whom and why, and how it goes on. */
export function BulkFacts({ detail }: { detail: BulkDetail }) {
  const { bulk, asOf, source } = detail;
  const t = useTranslations("bulk");
  const format = useFormatter();
  const locale = useLocale();
  const words = useScopeWords();
  const { canary } = bulk;
  const by = [
    visibleText(bulk.actor),
    ...(bulk.approvedBy === undefined ? [] : [t("approvedBy", { actor: visibleText(bulk.approvedBy) })]),
  ];
  return (
    <dl className="grid gap-x-6 gap-y-1.5 border-t border-line pt-3 sm:grid-cols-[max-content_1fr]">
      <Fact name={t("scope")}>
        {words(bulk.filter).join(" · ")}
        {bulk.filter.cause !== undefined && bulk.filter.cause !== "none" && (
          <Link
            href={`/tasks?state=${bulk.filter.state}&cause=${encodeURIComponent(bulk.filter.cause)}`}
            prefetch={false}
            className="ms-2 text-accent underline"
          >
            {t("sameTasks")}
          </Link>
        )}
      </Fact>
      {source && (
        <Fact name={t("source")}>
          <Link href={`/bulk/${source.id}`} className="text-accent underline">
            {t("number", { id: source.id })} · {visibleText(source.name)}
          </Link>
        </Fact>
      )}
      <Fact name={t("reason")}>{visibleText(bulk.reason)}</Fact>
      <Fact name={t("colWho")}>{by.join(", ")}</Fact>
      <Fact name={t("colWhen")}>
        <TimeText at={bulk.createdAt} asOf={asOf} />
      </Fact>
      {bulk.action !== "revert" && bulk.action !== "replay" && (
        <Fact name={t("bound")}>
          <TimeText at={bulk.boundAt} asOf={asOf} />
        </Fact>
      )}
      {(bulk.action === "reset" || bulk.action === "replay") && (
        <Fact name={t("jitter")}>{bulk.jitterMs === 0 ? t("noJitter") : formatDuration(bulk.jitterMs, locale)}</Fact>
      )}
      {canary && (
        <Fact name={t("canary")}>
          {t("canaryValue", { count: canary.rows, percent: format.number(canary.share * 100) })}
          {canary.verdict !== undefined && ` · ${t(`canaryVerdict_${canary.verdict}`)}`}
        </Fact>
      )}
      <Fact name={t("pace")}>
        <BulkPace key={String(bulk.ratePerSecond)} bulk={bulk} />
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid sm:col-span-2 sm:grid-cols-subgrid">
      <dt className="text-ink-2">{name}</dt>
      <dd dir="auto" className="min-w-0 wrap-anywhere">
        {children}
      </dd>
    </div>
  );
}
