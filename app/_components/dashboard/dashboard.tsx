"use client";

import { useOverview } from "../use-overview.ts";
import { ChartSection } from "./chart-section.tsx";
import { Onboarding } from "./onboarding.tsx";
import { ProblemTable } from "./problem-table.tsx";
import { RecentActionsCard } from "./recent-actions.tsx";
import { Tiles } from "./tiles.tsx";
import { TopCausesCard } from "./top-causes.tsx";
import { useTrends } from "./use-dashboard.ts";
import { VerdictLine } from "./verdict-line.tsx";

/** Whether anything is wrong, how much, where, since when, why, and who has done something about it. Each part loads alone. */
export function Dashboard() {
  const overview = useOverview();
  const trends = useTrends();
  const isEmpty = overview.data?.eventTypes.length === 0;
  return (
    <>
      <VerdictLine overview={overview.data} trends={trends.data} error={overview.error} />
      <Tiles overview={overview.data} isUnknown={overview.error !== null} trends={trends} />
      {isEmpty ? (
        <Onboarding />
      ) : (
        <>
          <ProblemTable query={overview} trends={trends.data} />
          <ChartSection />
          <div className="grid min-w-0 grid-cols-1 gap-4 xl:grid-cols-[3fr_2fr]">
            <TopCausesCard />
            <RecentActionsCard />
          </div>
        </>
      )}
    </>
  );
}
