import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { type ApiError, postJson } from "../api-client.ts";

/** What an order would be about, counted once: it stands still while a person decides, and is counted anew on demand. */
export function useDryRun<Answer>(
  path: string,
  scope: Readonly<Record<string, unknown>>,
  isWanted: boolean,
): UseQueryResult<Answer, ApiError> {
  return useQuery<Answer, ApiError>({
    queryKey: [path, scope],
    queryFn: () => postJson<Answer>(path, scope),
    retry: false,
    networkMode: "always",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    enabled: isWanted,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}
