"use client";

import { useFormatter, useLocale, useTranslations } from "next-intl";
import { useState } from "react";
import type { DashboardSeries } from "../../_server/dashboard/read-series.ts";
import { formatDuration } from "../format-time.ts";
import { visibleText } from "../visible-text.ts";
import { chartRows, type ChartRow, type Curve, highest, lastKnown, sumOf } from "./chart-data.ts";
import { ChartFigure } from "./chart-figure.tsx";
import { THRESHOLDS } from "./thresholds.ts";
import { useBucketText } from "./use-bucket-text.ts";

/** The part of the range that is looked at closely, by its first and last bucket; undefined: all of it. */
export interface Zoom {
  readonly from: string;
  readonly to: string;
}

const BACKLOG_COLOURS = [1, 2, 3, 4, 5, 6].map((n) => `var(--chart-type-${n})`);

/** The four charts of the dashboard; they share range, cursor and zoom. */
export function Charts({ series, isTable }: { series: DashboardSeries; isTable: boolean }) {
  const t = useTranslations("charts");
  const locale = useLocale();
  const format = useFormatter();
  const bucketText = useBucketText(series.range);
  const [zoom, setZoom] = useState<Zoom>();
  const all = chartRows(series);
  const zoomed = zoom ? all.filter(({ at }) => at >= zoom.from && at <= zoom.to) : all;
  const rows = zoomed.length > 1 ? zoomed : all;
  const isZoomed = rows !== all;
  const number = (value: number) => format.number(value);
  // Four digits fit and are exact; of more, three say enough on an axis.
  const compact = (value: number) =>
    format.number(value, value < 10_000 ? undefined : { notation: "compact", maximumSignificantDigits: 3 });
  const age = (value: number) => formatDuration(value, locale);
  const shared = { series, rows, isTable, isZoomed, zoom: setZoom };

  const backlog = series.backlog.map(({ eventType }, n): Curve => ({
    key: `due${n}`,
    name: eventType === undefined ? t("other") : visibleText(eventType),
    kind: "area",
    colour: eventType === undefined ? "var(--chart-other)" : (BACKLOG_COLOURS[n] ?? "var(--chart-other)"),
  }));
  const total = (row: ChartRow) =>
    backlog.every(({ key }) => row.values[key] === null)
      ? null
      : backlog.reduce((sum, { key }) => sum + (row.values[key] ?? 0), 0);
  const peak = highest(rows, total);
  const oldest = highest(rows, ({ values }) => values["oldestDueAgeMs"] ?? null);
  return (
    <>
      {isZoomed && (
        <p className="flex flex-wrap items-center gap-2 px-4 pt-2 text-xs text-ink-2">
          {t("zoomed", { from: bucketText(rows[0]?.at ?? ""), to: bucketText(rows.at(-1)?.at ?? "") })}
          <button type="button" className="button" onClick={() => setZoom(undefined)}>
            {t("zoomOut")}
          </button>
        </p>
      )}
      <div className="grid min-w-0 grid-cols-1 gap-x-6 gap-y-4 p-4 pt-2 xl:grid-cols-2">
        <ChartFigure
          {...shared}
          title={t("backlog")}
          curves={backlog}
          format={number}
          formatAxis={compact}
          summary={
            backlog.length === 0 || !peak
              ? t("backlogNone")
              : t("backlogSummary", {
                  now: number(lastKnown(rows, total) ?? 0),
                  peak: number(peak.value),
                  time: bucketText(peak.at),
                })
          }
        />
        <ChartFigure
          {...shared}
          title={t("outcomes", { bucket: age(series.bucketMs) })}
          curves={[
            { key: "succeeded", name: t("succeeded"), kind: "bar", colour: "var(--chart-succeeded)" },
            { key: "retried", name: t("retried"), kind: "bar", colour: "var(--chart-retried)" },
            { key: "failed", name: t("failed"), kind: "bar", colour: "var(--chart-failed)", isHatched: true },
          ]}
          format={number}
          formatAxis={compact}
          summary={t("outcomesSummary", {
            succeeded: number(sumOf(rows, "succeeded")),
            retried: number(sumOf(rows, "retried")),
            failed: number(sumOf(rows, "failed")),
          })}
        />
        <ChartFigure
          {...shared}
          title={t("oldest")}
          curves={[{ key: "oldestDueAgeMs", name: t("oldestCurve"), kind: "line", colour: "var(--chart-line)" }]}
          format={age}
          formatAxis={age}
          isDuration
          threshold={{ value: THRESHOLDS.lateMs, name: t("limit", { age: age(THRESHOLDS.lateMs) }) }}
          summary={
            !oldest || oldest.value === 0
              ? t("oldestNone")
              : t("oldestSummary", {
                  now: age(lastKnown(rows, ({ values }) => values["oldestDueAgeMs"] ?? null) ?? 0),
                  peak: age(oldest.value),
                  time: bucketText(oldest.at),
                })
          }
        />
        <ChartFigure
          {...shared}
          title={t("trouble", { bucket: age(series.bucketMs) })}
          curves={[
            { key: "recycled", name: t("recycled"), kind: "bar", colour: "var(--chart-recycled)" },
            { key: "rejected", name: t("rejected"), kind: "bar", colour: "var(--chart-rejected)", isHatched: true },
          ]}
          format={number}
          formatAxis={compact}
          summary={t("troubleSummary", {
            recycled: number(sumOf(rows, "recycled")),
            rejected: number(sumOf(rows, "rejected")),
          })}
        />
      </div>
    </>
  );
}
