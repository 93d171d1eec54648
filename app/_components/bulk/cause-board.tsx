"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import { useId, useState } from "react";
import type { CauseGroup, CauseList } from "../../_server/list-causes.ts";
import { useMay } from "../account/asker.tsx";
import { describeZone } from "../format-time.ts";
import { ErrorHead } from "../error-head.tsx";
import { LiteralText } from "../literal-text.tsx";
import { LiveCard } from "../live-card.tsx";
import { useCountText } from "../number-text.tsx";
import { StateMessage } from "../state-message.tsx";
import { TimeText } from "../time-text.tsx";
import { useLiveQuery } from "../use-live-query.ts";
import { visibleText } from "../visible-text.ts";
import { useZone } from "../zone.tsx";
import { BulkPanel } from "./bulk-panel.tsx";

const TYPES_SHOWN = 2;

/** Why tasks failed for good, the most frequent cause first; each can be looked at and started anew as a whole. */
export function CauseBoard() {
  const t = useTranslations("causePage");
  const titleId = useId();
  const query = useLiveQuery<CauseList>("/api/v1/causes");
  const [asked, setAsked] = useState<string>();
  return (
    <>
      <LiveCard
        labelledBy={titleId}
        query={query}
        skeleton={<CauseRowsSkeleton />}
        header={
          <header className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-4 py-2.5">
            <h2 id={titleId} className="font-semibold">
              {t("title")}
            </h2>
            <p className="text-xs text-ink-3">{t("hint")}</p>
            {query.data && query.data.failed > 0 && (
              <p className="ms-auto text-xs text-ink-2">{t("total", { count: query.data.failed })}</p>
            )}
          </header>
        }
      >
        {(list) =>
          list.causes.length === 0 ? (
            <StateMessage tone="good" title={t("emptyTitle")} hint={t("emptyHint")} />
          ) : (
            <>
              {list.isCapped && <p className="bg-warn-tint px-4 py-1.5 text-xs text-warn">{t("capped")}</p>}
              <CauseTable list={list} ask={setAsked} />
              {list.otherCauses > 0 && (
                <p className="border-t border-line px-4 py-2 text-xs text-ink-3">
                  {t("others", { count: list.otherCauses })}
                </p>
              )}
            </>
          )
        }
      </LiveCard>
      {asked !== undefined && (
        <BulkPanel action="reset" filter={{ state: "failed", cause: asked }} close={() => setAsked(undefined)} />
      )}
    </>
  );
}

function CauseTable({ list, ask }: { list: CauseList; ask: (cause: string) => void }) {
  const t = useTranslations("causePage");
  const { timeZone = "UTC" } = useZone();
  return (
    <div className="overflow-x-auto">
      <table className="data-table max-xl:card-rows">
        <caption className="sr-only">{t("caption")}</caption>
        <thead>
          <tr>
            <th scope="col" className="number">
              {t("colCount")}
            </th>
            <th scope="col">{t("colCause")}</th>
            <th scope="col">{t("colTypes")}</th>
            <th scope="col">{t("colFirst", { zone: describeZone(timeZone, new Date(list.asOf)) })}</th>
            <th scope="col">
              <span className="sr-only">{t("colActions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.causes.map((cause) => (
            <CauseRow key={cause.cause} cause={cause} list={list} ask={ask} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CauseRow(props: { cause: CauseGroup; list: CauseList; ask: (cause: string) => void }) {
  const { cause, list } = props;
  const mayAct = useMay("bulk.act");
  const t = useTranslations("causePage");
  const countText = useCountText();
  const name = cause.cause === "none" ? t("none") : visibleText(cause.cause);
  const more = cause.eventTypes.length - TYPES_SHOWN;
  return (
    <tr>
      <td data-label={t("colCount")} className="number text-base font-semibold">
        {countText(cause.count, list.isCapped)}
      </td>
      <td className="w-full max-w-0 max-sm:max-w-none">
        {cause.sample?.errorHead === undefined ? (
          <span className="text-ink-3">{t("noError")}</span>
        ) : (
          <ErrorHead text={cause.sample.errorHead} />
        )}
        <span className="block truncate font-mono text-xs text-ink-3">{name}</span>
      </td>
      <td className="max-w-56">
        <LiteralText
          text={cause.eventTypes
            .slice(0, TYPES_SHOWN)
            .map(({ eventType }) => eventType)
            .join(", ")}
        />
        {more > 0 && <span className="block text-xs text-ink-3">{t("more", { count: more })}</span>}
      </td>
      <td data-label={t("colTimes")}>
        <span className="grid">
          <span className="text-xs text-ink-3">
            <TimeText at={cause.firstAt} asOf={list.asOf} />
          </span>
          <TimeText at={cause.lastAt} asOf={list.asOf} />
        </span>
      </td>
      <td className="text-end">
        <span className="inline-flex gap-2">
          {cause.cause !== "none" && (
            <Link
              prefetch={false}
              href={`/tasks?state=failed&cause=${encodeURIComponent(cause.cause)}`}
              className="button"
              aria-label={t("showCause", { cause: name })}
            >
              {t("show")}
            </Link>
          )}
          {mayAct && (
            <button
              type="button"
              className="button"
              aria-label={t("resetCause", { cause: name, count: countText(cause.count, list.isCapped) })}
              onClick={() => props.ask(cause.cause)}
            >
              {t("reset", { count: countText(cause.count, list.isCapped) })}
            </button>
          )}
        </span>
      </td>
    </tr>
  );
}

function CauseRowsSkeleton() {
  return ["w-72", "w-56", "w-64"].map((width) => (
    <div key={width} className="flex h-12 items-center gap-6 border-b border-soft px-4 last:border-0">
      <span className="skeleton h-5 w-12" />
      <span className={`skeleton h-3.5 ${width}`} />
      <span className="skeleton h-3.5 flex-1" />
      <span className="skeleton h-6 w-24" />
    </div>
  ));
}
