"use client";

import type { Query, QueryCache } from "@tanstack/react-query";
import { useQueryCache } from "./use-query-cache.ts";

/** When the oldest answer on the page arrived, in milliseconds since 1970; 0 before the first. */
export function useLastUpdate(): number {
  const updatedAt = useQueryCache((cache) => {
    const updates = pageQueries(cache).map(({ state }) => state.dataUpdatedAt);
    return updates.length === 0 ? 0 : Math.min(...updates);
  });
  return updatedAt ?? 0;
}

/** False if the page shows only answers that are not refreshed by themselves. */
export function useIsLive(): boolean {
  const isStill = useQueryCache((cache) => {
    const observers = pageQueries(cache).flatMap(observersOf);
    return observers.length > 0 && observers.every(({ options }) => options.refetchInterval === undefined);
  });
  return !(isStill ?? false);
}

/** What the page itself shows, without what stands beside it on every page. */
function pageQueries(cache: QueryCache): Query[] {
  return cache.findAll({ type: "active" }).filter((query) => observersOf(query).length > 0);
}

function observersOf(query: Query) {
  return query.observers.filter(({ options }) => options.meta?.["isAside"] !== true);
}
