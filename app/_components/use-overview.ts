"use client";

import type { Overview } from "../_server/count-tasks.ts";
import { useLiveQuery } from "./use-live-query.ts";
import { useQueryCache } from "./use-query-cache.ts";

export const OVERVIEW_PATH = "/api/v1/overview";

/** The state of all event types and workers, kept fresh. */
export function useOverview() {
  return useLiveQuery<Overview>(OVERVIEW_PATH);
}

/** The overview that the page has read last, for parts that must not read it once more; undefined before the first. */
export function useKnownOverview(): Overview | undefined {
  return useQueryCache((cache) => cache.find({ queryKey: [OVERVIEW_PATH] })?.state.data as Overview | undefined);
}
