"use client";

import { useFormatter, useTranslations } from "next-intl";
import { type ReactNode, useId } from "react";
import type { CauseCount, DryRun } from "../../_server/dry-run-bulk.ts";
import { LiteralText } from "../literal-text.tsx";
import { useCountText } from "../number-text.tsx";

/** A dry run with its number at the head, and the way to count again. */
export function DryRunFrame(props: {
  dryRun: Pick<DryRun, "count" | "isCapped"> | undefined;
  isCounting: boolean;
  recount: () => void;
  children: ReactNode;
}) {
  const { dryRun, isCounting } = props;
  const t = useTranslations("bulkPanel");
  const countText = useCountText();
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} aria-busy={isCounting} className="grid grid-cols-1 gap-2">
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
      {props.children}
    </section>
  );
}

const CAUSES_SHOWN = 6;

interface Causes {
  readonly causes: readonly CauseCount[];
  readonly otherCauses: number;
}

/** The most frequent causes as rows of a list, and one for the others. */
export function useCauseRows(): (
  causes: Causes,
) => { readonly key: string; readonly text: string; readonly count: number }[] {
  const t = useTranslations("bulkPanel");
  return ({ causes, otherCauses }) => {
    const others = causes.slice(CAUSES_SHOWN).reduce((sum, { count }) => sum + count, otherCauses);
    return [
      ...causes.slice(0, CAUSES_SHOWN).map(({ cause, count, errorHead }) => ({
        key: cause,
        text: errorHead ?? (cause === "none" ? t("noCause") : cause),
        count,
      })),
      ...(others > 0 ? [{ key: "others", text: t("others"), count: others }] : []),
    ];
  };
}

/** One line of facts. */
export function DryRunFact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="col-span-2 grid grid-cols-subgrid">
      <dt className="text-ink-2">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Names with their numbers, under a title. */
export function CountList(props: {
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
