"use client";

import { type QueryCache, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";

/** A value read from the answers that the page holds, without asking for any; undefined on the server. */
export function useQueryCache<Value>(read: (cache: QueryCache) => Value | undefined): Value | undefined {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((changed: () => void) => cache.subscribe(changed), [cache]);
  return useSyncExternalStore(
    subscribe,
    () => read(cache),
    () => undefined,
  );
}
