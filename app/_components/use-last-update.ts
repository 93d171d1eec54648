"use client";

import { useQueryCache } from "./use-query-cache.ts";

/** When the oldest answer on the page arrived, in milliseconds since 1970; 0 before the first. */
export function useLastUpdate(): number {
  const updatedAt = useQueryCache((cache) => {
    const updates = cache.findAll({ type: "active" }).map(({ state }) => state.dataUpdatedAt);
    return updates.length === 0 ? 0 : Math.min(...updates);
  });
  return updatedAt ?? 0;
}

/** False if the page shows only answers that are not refreshed by themselves. */
export function useIsLive(): boolean {
  const isStill = useQueryCache((cache) => {
    const observers = cache.findAll({ type: "active" }).flatMap((query) => query.observers);
    return observers.length > 0 && observers.every(({ options }) => options.refetchInterval === undefined);
  });
  return !(isStill ?? false);
}
