"use client";

import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useRef } from "react";
import { type ApiError, getJson } from "./api-client.ts";
import { useRefresh } from "./refresh.tsx";
import { REFRESH_SECONDS, refreshDelayMs } from "./refresh-delay.ts";

/**
 * An answer of the API that is kept fresh: every 5 s, or as told, while the page is visible and not paused, slower after failures.
 * A failed refresh keeps the last answer. Unchanged parts of an answer keep their identity, so their rows do not render.
 * What is shown beside the page (`isAside`) tells nothing of the page's own freshness.
 */
export function useLiveQuery<Answer>(
  path: string,
  { everySeconds = REFRESH_SECONDS, isAside }: { readonly everySeconds?: number; readonly isAside?: true } = {},
): UseQueryResult<Answer, ApiError> {
  const { isPaused } = useRefresh();
  const failuresInRow = useRef(0);
  return useQuery<Answer, ApiError>({
    queryKey: [path],
    queryFn: async ({ signal }) => {
      try {
        const answer = await getJson<Answer>(path, signal);
        failuresInRow.current = 0;
        return answer;
      } catch (error) {
        failuresInRow.current += 1;
        throw error;
      }
    },
    retry: false,
    networkMode: "always",
    meta: isAside ? { isAside } : undefined,
    refetchInterval: ({ state }) =>
      isPaused
        ? false
        : refreshDelayMs(failuresInRow.current, Math.max(state.dataUpdatedAt, state.errorUpdatedAt), everySeconds),
    refetchOnWindowFocus: !isPaused,
    refetchOnReconnect: !isPaused,
  });
}
