"use client";

import { useTranslations } from "next-intl";
import dynamic from "next/dynamic";
import { useId, useState } from "react";
import { LiveCard } from "../live-card.tsx";
import { Segmented } from "../segmented.tsx";
import { RANGE_NAMES, useRange, useSeries } from "./use-dashboard.ts";

/** The drawing library is large and comes after the rest of the page. */
const Charts = dynamic(() => import("./charts.tsx").then(({ Charts: component }) => component), {
  ssr: false,
  loading: () => <ChartsSkeleton />,
});

/** What happened over a range that all charts share, drawn or as tables. */
export function ChartSection() {
  const t = useTranslations("charts");
  const [range, setRange] = useRange();
  const [view, setView] = useState<"charts" | "tables">("charts");
  const query = useSeries(range);
  const titleId = useId();
  return (
    <LiveCard
      labelledBy={titleId}
      query={query}
      skeleton={<ChartsSkeleton />}
      header={
        <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-3 pb-1">
          <h2 id={titleId} className="me-auto font-semibold">
            {t("title")}
          </h2>
          <Segmented
            label={t("view")}
            value={view}
            segments={[
              { value: "charts", content: t("asCharts") },
              { value: "tables", content: t("asTables") },
            ]}
            choose={setView}
          />
          <Segmented
            label={t("range")}
            value={range}
            segments={RANGE_NAMES.map((name) => ({
              value: name,
              name: t(`range_${name}`),
              content: t(`short_${name}`),
            }))}
            choose={(next) => void setRange(next)}
          />
        </header>
      }
    >
      {(series) => <Charts series={series} isTable={view === "tables"} />}
    </LiveCard>
  );
}

function ChartsSkeleton() {
  return (
    <div className="grid grid-cols-1 gap-4 p-4 xl:grid-cols-2">
      {[1, 2, 3, 4].map((key) => (
        <span key={key} aria-hidden="true" className="skeleton h-60 w-full" />
      ))}
    </div>
  );
}
