"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import type { RecentActions } from "../../_server/dashboard/read-actions.ts";
import type { TopCauses } from "../../_server/dashboard/read-causes.ts";
import type { DashboardSeries } from "../../_server/dashboard/read-series.ts";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import { useLiveQuery } from "../use-live-query.ts";

/** Metrics are written every 10 s and sampled every 15 s; asking more often shows nothing new. */
const SLOW = { everySeconds: 10 };

export const RANGE_NAMES = ["1h", "6h", "24h", "7d"] as const;

/** The range that all charts share; it lives in the address. */
export function useRange() {
  return useQueryState("range", parseAsStringLiteral(RANGE_NAMES).withDefault("6h"));
}

export const TRENDS_PATH = "/api/v1/dashboard/trends";

export function useTrends() {
  return useLiveQuery<DashboardTrends>(TRENDS_PATH, SLOW);
}

export function useSeries(range: (typeof RANGE_NAMES)[number]) {
  return useLiveQuery<DashboardSeries>(`/api/v1/dashboard/series?range=${range}`, SLOW);
}

export function useCauses() {
  return useLiveQuery<TopCauses>("/api/v1/dashboard/causes", SLOW);
}

export function useActions() {
  return useLiveQuery<RecentActions>("/api/v1/dashboard/actions", SLOW);
}
