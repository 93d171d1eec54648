"use client";

import { focusManager, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useRef } from "react";
import { type ApiError, getJson } from "./api-client.ts";
import { useRefresh } from "./refresh.tsx";
import { HIDDEN_SECONDS, REFRESH_SECONDS, refreshDelayMs } from "./refresh-delay.ts";

interface LiveOptions<Answer> {
  /** How often it is asked; it may depend on what was answered last. */
  readonly everySeconds?: number | ((answer: Answer | undefined) => number);
  /** Shown beside the page: it tells nothing of the page's own freshness. */
  readonly isAside?: true;
  /** Asked now and then even while nobody sees the page, for what its tab tells. */
  readonly evenHidden?: true;
}

/**
 * An answer of the API that is kept fresh: every 5 s, or as told, while the page is visible and not paused, slower after failures.
 * A failed refresh keeps the last answer. Unchanged parts of an answer keep their identity, so their rows do not render.
 */
export function useLiveQuery<Answer>(
  path: string,
  { everySeconds = REFRESH_SECONDS, isAside, evenHidden }: LiveOptions<Answer> = {},
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
    refetchInterval: ({ state }) => {
      if (isPaused) return false;
      const seconds = typeof everySeconds === "number" ? everySeconds : everySeconds(state.data);
      const seed = Math.max(state.dataUpdatedAt, state.errorUpdatedAt);
      const isSeen = focusManager.isFocused();
      return refreshDelayMs(failuresInRow.current, seed, isSeen ? seconds : Math.max(seconds, HIDDEN_SECONDS));
    },
    refetchIntervalInBackground: evenHidden ?? false,
    refetchOnWindowFocus: !isPaused,
    refetchOnReconnect: !isPaused,
  });
}
