"use client";

import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useRef } from "react";
import { type ApiError, getJson } from "../api-client.ts";
import { useRefresh } from "../refresh.tsx";
import { refreshDelayMs } from "../refresh-delay.ts";

const WATCHED_MS = 2_000;

/** An answer that is kept fresh: every 2 s while it is watched, else as slow as the lists; slower after failures. */
export function useWatchedQuery<Answer>(
  path: string,
  isWatched: (answer: Answer | undefined) => boolean,
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
    refetchInterval: ({ state }) => {
      if (isPaused) return false;
      if (failuresInRow.current === 0 && isWatched(state.data)) return WATCHED_MS;
      return refreshDelayMs(failuresInRow.current, Math.max(state.dataUpdatedAt, state.errorUpdatedAt));
    },
    refetchOnWindowFocus: !isPaused,
    refetchOnReconnect: !isPaused,
  });
}

/** The task is gone from the live table, not merely out of reach. */
export function isAbsent(error: ApiError | null): error is ApiError {
  return error !== null && (error.code === "task_archived" || error.code === "task_not_found");
}
