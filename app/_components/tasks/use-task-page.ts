"use client";

import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { NewerTasks, TaskPage, TaskProgressAnswer } from "../../_server/list-tasks.ts";
import { type ApiError, getJson } from "../api-client.ts";
import { useRefresh } from "../refresh.tsx";
import { refreshDelayMs } from "../refresh-delay.ts";
import { type ListView, pagePath } from "./list-view.ts";
import { readPage } from "./read-page.ts";

/**
 * The page that a view shows. It is read when the view changes or a person asks for it, never by itself: what stands
 * under the pointer stays there. An empty page alone asks again, for nothing can move on it. A page that is found part by
 * part is shown as it grows, unless an older one stands there.
 */
export function useTaskPage(view: ListView): UseQueryResult<TaskPage, ApiError> {
  const { isPaused } = useRefresh();
  const path = pagePath(view);
  return useQuery<TaskPage, ApiError>({
    queryKey: [path, { state: view.state }],
    queryFn: ({ signal, client, queryKey }) => {
      const isFirst = client.getQueryData(queryKey) === undefined;
      return readPage(view, {
        read: (part) => getJson<TaskPage>(part, signal),
        onPart: (page) => isFirst && client.setQueryData(queryKey, page),
      });
    },
    // The rows of one state stay until those of its next page are there; another state begins empty.
    placeholderData: (previous, query) => (stateOf(query?.queryKey[1]) === view.state ? previous : undefined),
    retry: false,
    networkMode: "always",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchInterval: ({ state }) =>
      isPaused || (state.data && (state.data.items.length > 0 || !state.data.exhausted))
        ? false
        : refreshDelayMs(1, state.dataUpdatedAt),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

function stateOf(key: unknown): unknown {
  return (key as { state?: unknown } | undefined)?.state;
}

export interface Progress extends TaskProgressAnswer {
  readonly asked: readonly string[];
}

/** How the rows of a page stand now; asked every few seconds for those that can still change. */
export function useProgress(ids: readonly string[]): UseQueryResult<Progress, ApiError> {
  const { isPaused } = useRefresh();
  return useQuery<Progress, ApiError>({
    queryKey: ["progress", ids],
    queryFn: async ({ signal }) => {
      const answer = await getJson<TaskProgressAnswer>(`/api/v1/tasks/rows?ids=${ids.join(",")}`, signal);
      return { ...answer, asked: ids };
    },
    enabled: ids.length > 0,
    retry: false,
    networkMode: "always",
    gcTime: 0,
    refetchInterval: ({ state }) =>
      isPaused ? false : refreshDelayMs(state.fetchFailureCount, Math.max(state.dataUpdatedAt, state.errorUpdatedAt)),
    refetchOnWindowFocus: !isPaused,
    refetchOnReconnect: !isPaused,
  });
}

/** How many tasks stand before the first page by now; undefined where that is not asked. */
export function useNewer(view: ListView, page: TaskPage | undefined): NewerTasks | undefined {
  const { isPaused } = useRefresh();
  const isFirst = view.cursor === undefined && view.at === undefined && view.filter.payload === undefined;
  const start = isFirst ? page?.startCursor : undefined;
  const path = pagePath({ ...view, limit: "50", cursor: start }).replace("/api/v1/tasks", "/api/v1/tasks/newer");
  const { data } = useQuery<NewerTasks, ApiError>({
    queryKey: [path],
    queryFn: ({ signal }) => getJson<NewerTasks>(path, signal),
    enabled: start !== undefined,
    retry: false,
    networkMode: "always",
    gcTime: 0,
    refetchInterval: ({ state }) => (isPaused ? false : 2 * refreshDelayMs(0, state.dataUpdatedAt)),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return start === undefined ? undefined : data;
}
