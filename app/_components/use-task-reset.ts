"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { FailedTaskPage } from "../_server/list-failed-tasks.ts";
import type { ShownStatus } from "./status-badge.tsx";
import { type RowReset, useRowReset } from "./use-row-reset.ts";

export interface TaskReset extends RowReset {
  /** By id: the state that the server saw when it refused a reset. */
  readonly refused: ReadonlyMap<string, ShownStatus>;
  readonly dismiss: (id: string) => void;
}

/**
 * Resets tasks of the list of failed ones. A row leaves the list when the server has confirmed, and goes back to the state
 * that the server saw when it has refused, until the person dismisses it.
 */
export function useTaskReset(): TaskReset {
  const queryClient = useQueryClient();
  const [refused, setRefused] = useState<ReadonlyMap<string, ShownStatus>>(new Map());
  const dismiss = (id: string) => setRefused((known) => new Map([...known].filter(([refusedId]) => refusedId !== id)));
  const rows = useRowReset({
    begun: dismiss,
    refused: (id, seen) => setRefused((known) => new Map(known).set(id, seen)),
    done: async (id) => {
      // A refresh that was asked before the reset must not bring the row back.
      await queryClient.cancelQueries();
      queryClient.setQueriesData<FailedTaskPage>({ predicate: ({ queryKey }) => isTaskList(queryKey[0]) }, (page) =>
        page ? { ...page, items: page.items.filter((item) => item.id !== id) } : page,
      );
    },
    refresh: async () => void queryClient.invalidateQueries(),
  });
  return { ...rows, refused, dismiss };
}

function isTaskList(key: unknown): boolean {
  return typeof key === "string" && key.startsWith("/api/v1/tasks?");
}
