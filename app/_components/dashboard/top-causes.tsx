"use client";

import { useFormatter, useLocale, useTranslations } from "next-intl";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useId, useState } from "react";
import type { Cause } from "../../_server/dashboard/read-causes.ts";
import { useMay } from "../account/asker.tsx";
import { formatInstant } from "../format-time.ts";
import { LiteralText } from "../literal-text.tsx";
import { LiveCard } from "../live-card.tsx";
import { StateMessage } from "../state-message.tsx";
import { visibleText } from "../visible-text.ts";
import { useZone } from "../zone.tsx";
import { tasksHref } from "./links.ts";
import { SparkBars } from "./sparkline.tsx";
import { useCauses } from "./use-dashboard.ts";

// Loaded when first asked for.
const BulkPanel = dynamic(() => import("../bulk/bulk-panel.tsx").then((part) => part.BulkPanel), { ssr: false });

/** Why attempts failed in the last 24 hours, the cause that left the most failed tasks first. */
export function TopCausesCard() {
  const t = useTranslations("causes");
  const query = useCauses();
  const titleId = useId();
  const locale = useLocale();
  const format = useFormatter();
  const { timeZone = "UTC" } = useZone();
  const { data } = query;
  const mayReset = useMay("bulk.act");
  const [asked, setAsked] = useState<string>();
  return (
    <>
      <LiveCard
        labelledBy={titleId}
        query={query}
        skeleton={<CauseRowsSkeleton />}
        header={
          <header className="flex items-baseline justify-between gap-3 px-4 pt-3 pb-1">
            <h2 id={titleId} className="font-semibold">
              {t("title")}
            </h2>
            {data && data.total > 0 && (
              <p className="text-xs text-ink-3">{t("hint", { shown: data.items.length, total: data.total })}</p>
            )}
          </header>
        }
      >
        {({ items, countedSince, attemptsMax }) => (
          <>
            {countedSince !== null && (
              <p className="border-y border-line bg-warn-tint px-4 py-1.5 text-xs text-warn">
                {t("partial", {
                  number: format.number(attemptsMax),
                  time: formatInstant(new Date(countedSince), locale, timeZone),
                })}
              </p>
            )}
            {items.length === 0 ? (
              <StateMessage tone="good" title={t("emptyTitle")} hint={t("emptyHint")} />
            ) : (
              <table className="data-table table-fixed">
                <caption className="sr-only">{t("caption")}</caption>
                <thead>
                  <tr>
                    <th scope="col">{t("cause")}</th>
                    <th scope="col" className="w-28 max-sm:hidden">
                      {t("perHour")}
                    </th>
                    <th scope="col" className="number w-24 max-sm:w-20">
                      {t("failedForGood")}
                    </th>
                    <th scope="col" className="number w-20">
                      {t("count")}
                    </th>
                    {mayReset && (
                      <th scope="col" className="w-32 max-sm:hidden">
                        <span className="sr-only">{t("actions")}</span>
                      </th>
                    )}
                  </tr>
                </thead>
                <tbody>
                  {items.map((cause) => (
                    <CauseRow key={cause.fingerprint ?? ""} cause={cause} askReset={mayReset ? setAsked : undefined} />
                  ))}
                </tbody>
              </table>
            )}
          </>
        )}
      </LiveCard>
      {asked !== undefined && (
        <BulkPanel action="reset" filter={{ state: "failed", cause: asked }} close={() => setAsked(undefined)} />
      )}
    </>
  );
}

function CauseRow(props: { cause: Cause; askReset: ((cause: string) => void) | undefined }) {
  const { cause, askReset } = props;
  const t = useTranslations("causes");
  const locale = useLocale();
  const format = useFormatter();
  const { timeZone = "UTC" } = useZone();
  const text = cause.sample ?? t("noText");
  const at = (iso: string) => formatInstant(new Date(iso), locale, timeZone);
  const state = cause.failedForGood > 0 ? "failed" : "retrying";
  return (
    <tr>
      <td className="py-1.5!">
        {cause.fingerprint === null ? (
          <LiteralText text={text} className="font-medium" />
        ) : (
          <Link
            href={tasksHref({ state, cause: cause.fingerprint })}
            prefetch={false}
            className="block underline-offset-2 hover:underline"
          >
            <LiteralText text={text} className="font-medium" />
          </Link>
        )}
        <span className="block truncate text-xs text-ink-3">
          <bdi>{cause.eventTypes.map(visibleText).join(", ")}</bdi>
          {" · "}
          {t("seen", { first: at(cause.firstAt), last: at(cause.lastAt) })}
        </span>
      </td>
      <td className="max-sm:hidden">
        <SparkBars values={cause.hours} className="w-24 text-ink-3" />
      </td>
      <td className={`number ${cause.failedForGood > 0 ? "font-semibold text-failed" : "text-ink-3"}`}>
        {format.number(cause.failedForGood)}
      </td>
      <td className="number">{format.number(cause.count)}</td>
      {askReset && (
        <td className="text-end max-sm:hidden">
          {cause.failedForGood > 0 && (
            <button
              type="button"
              aria-label={t("resetCause", { cause: visibleText(text) })}
              onClick={() => askReset(cause.fingerprint ?? "none")}
              className="button"
            >
              {t("reset")}
            </button>
          )}
        </td>
      )}
    </tr>
  );
}

function CauseRowsSkeleton() {
  return ["w-64", "w-40", "w-52"].map((width) => (
    <div key={width} className="flex h-12 items-center justify-between gap-6 px-4">
      <span className={`skeleton h-3.5 ${width}`} />
      <span className="skeleton h-3.5 w-12" />
    </div>
  ));
}
