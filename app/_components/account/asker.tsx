"use client";

import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, use } from "react";
import type { AskerFacts } from "../../_server/describe-asker.ts";
import type { Permission } from "../../_server/permissions.ts";
import { getJson } from "../api-client.ts";

const AskerContext = createContext<AskerFacts | undefined>(undefined);

/**
 * Tells the page who is signed in. `initial` is what the server knew when it drew the page: undefined if its database
 * was away; it is then asked until it answers.
 */
export function AskerProvider({ initial, children }: { initial: AskerFacts | undefined; children: ReactNode }) {
  const { data } = useQuery<AskerFacts>({
    queryKey: ["/api/v1/me"],
    queryFn: ({ signal }) => getJson<AskerFacts>("/api/v1/me", signal),
    enabled: initial === undefined,
    staleTime: Infinity,
    retry: true,
    networkMode: "always",
  });
  return <AskerContext value={initial ?? data}>{children}</AskerContext>;
}

/** Who is signed in; undefined where nobody is, or while it is not known. The server checks every request anyway. */
export function useAsker(): AskerFacts | undefined {
  return use(AskerContext);
}

/** Whether the person's role lets them do this: what it never may is not shown. */
export function useMay(permission: Permission): boolean {
  return useAsker()?.permissions.includes(permission) ?? false;
}
