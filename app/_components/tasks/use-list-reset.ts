"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type RowReset, useRowReset } from "../use-row-reset.ts";

/** Resets tasks of the list. A row stays in place and shows the state that the server has, be it reset or refused. */
export function useListReset(): RowReset {
  const queryClient = useQueryClient();
  const isCount = (key: unknown) => typeof key === "string" && key.startsWith("/api/v1/tasks/counts");
  return useRowReset({
    refresh: () => {
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => isCount(queryKey[0]) });
      return queryClient.refetchQueries({ queryKey: ["progress"] });
    },
  });
}
