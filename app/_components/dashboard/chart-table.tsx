"use client";

import { useTranslations } from "next-intl";
import { describeZone } from "../format-time.ts";
import { useZone } from "../zone.tsx";
import type { ChartProps } from "./chart-figure.tsx";
import { useActionText } from "./use-action-text.ts";
import { useBucketText } from "./use-bucket-text.ts";

/** The numbers of a chart, newest first. */
export function ChartTable({ series, rows, curves, format, title }: ChartProps & { title: string }) {
  const t = useTranslations("charts");
  const { timeZone = "UTC" } = useZone();
  const bucketText = useBucketText(series.range);
  const describe = useActionText();
  const openAt = series.starts.at(-1);
  return (
    <div
      className="relative mt-2 max-h-64 overflow-auto border-y border-soft"
      tabIndex={0}
      role="region"
      aria-label={title}
    >
      <table className="data-table">
        <caption className="sr-only">{title}</caption>
        <thead className="sticky top-0 bg-card">
          <tr>
            <th scope="col">{t("time", { zone: describeZone(timeZone, new Date(series.asOf)) })}</th>
            {curves.map(({ key, name }) => (
              <th key={key} scope="col" className="number">
                <bdi>{name}</bdi>
              </th>
            ))}
            <th scope="col">{t("actions")}</th>
          </tr>
        </thead>
        <tbody>
          {[...rows].reverse().map(({ at, values, actions }) => (
            <tr key={at}>
              <th scope="row" className="border-soft! text-ink!">
                <time dateTime={at}>{bucketText(at)}</time>
                {at === openAt && <span className="ms-2 text-ink-3">{t("open")}</span>}
              </th>
              {curves.map(({ key }) => {
                const value = values[key] ?? null;
                return (
                  <td key={key} className={`number ${value ? "" : "text-ink-3"}`}>
                    {value === null ? "–" : format(value)}
                  </td>
                );
              })}
              <td className="max-w-64 truncate text-ink-2">{actions.map(describe).join("; ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
