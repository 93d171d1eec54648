"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import type { DashboardSeries } from "../../_server/dashboard/read-series.ts";
import type { ChartRow, Curve } from "./chart-data.ts";
import { ChartTable } from "./chart-table.tsx";
import type { Zoom } from "./charts.tsx";
import { TimeChart } from "./time-chart.tsx";

export interface ChartProps {
  readonly series: DashboardSeries;
  readonly rows: readonly ChartRow[];
  readonly curves: readonly Curve[];
  readonly format: (value: number) => string;
  readonly formatAxis: (value: number) => string;
  /** The numbers are milliseconds: the axis counts in minutes or hours, not in thousands. */
  readonly isDuration?: true;
  readonly threshold?: { readonly value: number; readonly name: string };
  readonly isZoomed: boolean;
  readonly zoom: (zoom: Zoom | undefined) => void;
}

/** A chart or its table, with its title, its key and in one sentence what it shows. */
export function ChartFigure(props: ChartProps & { title: string; summary: string; isTable: boolean }) {
  const { title, summary, isTable, curves, threshold } = props;
  const t = useTranslations("charts");
  const titleId = useId();
  return (
    <figure aria-labelledby={titleId} className="m-0 min-w-0">
      <figcaption>
        <h3 id={titleId} className="font-medium">
          {title}
        </h3>
        <p className="text-xs text-ink-2">{summary}</p>
        <ul aria-label={t("key")} className="mt-1 flex min-h-[18px] flex-wrap gap-x-3 text-xs text-ink-2">
          {curves.map(({ key, name, colour, isHatched }) => (
            <li key={key} className="flex min-w-0 items-center gap-1.5">
              <span
                aria-hidden="true"
                className={`size-2.5 shrink-0 rounded-[2px] forced-color-adjust-none ${isHatched ? "chart-hatched" : ""}`}
                style={{ backgroundColor: colour }}
              />
              <bdi className="truncate">{name}</bdi>
            </li>
          ))}
          {threshold && (
            <li className="flex items-center gap-1.5">
              <span aria-hidden="true" className="w-3 border-t border-dashed border-warn" />
              {threshold.name}
            </li>
          )}
        </ul>
      </figcaption>
      {isTable ? <ChartTable {...props} /> : <TimeChart {...props} />}
    </figure>
  );
}
