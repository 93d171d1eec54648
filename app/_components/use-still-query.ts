"use client";

import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { type ApiError, getJson } from "./api-client.ts";

/** An answer of the API that does not change by itself: asked for once, and again only when a person wants it. */
export function useStillQuery<Answer>(
  path: string,
  options: { readonly enabled?: boolean } = {},
): UseQueryResult<Answer, ApiError> {
  return useQuery<Answer, ApiError>({
    queryKey: [path],
    queryFn: ({ signal }) => getJson<Answer>(path, signal),
    enabled: options.enabled ?? true,
    retry: false,
    networkMode: "always",
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}
