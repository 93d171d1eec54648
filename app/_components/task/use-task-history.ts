"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { AttemptItem, AttemptPage } from "../../_server/list-attempts.ts";
import { type ApiError, getJson } from "../api-client.ts";
import { useLiveQuery } from "../use-live-query.ts";

export interface TaskHistory {
  readonly query: UseQueryResult<AttemptPage, ApiError>;
  /** All entries that were loaded, newest first. */
  readonly items: readonly AttemptItem[];
  readonly hasOlder: boolean;
  /** @throws ApiError */
  readonly loadOlder: () => Promise<void>;
}

/** The newest entries, kept fresh, and older ones as they are asked for; an entry that was seen stays. */
export function useTaskHistory(id: string, everySeconds: number): TaskHistory {
  const path = `/api/v1/tasks/${id}/attempts`;
  const query = useLiveQuery<AttemptPage>(path, { everySeconds });
  const [kept, setKept] = useState<readonly AttemptItem[]>([]);
  const [keptCursor, setKeptCursor] = useState<string | undefined>();
  const items = merge(query.data?.items ?? [], kept);
  const cursor = kept.length > 0 ? keptCursor : query.data?.nextCursor;
  return {
    query,
    items,
    hasOlder: cursor !== undefined,
    loadOlder: async () => {
      if (cursor === undefined) return;
      const page = await getJson<AttemptPage>(`${path}?limit=200&cursor=${cursor}`, new AbortController().signal);
      setKept(merge(items, page.items));
      setKeptCursor(page.nextCursor);
    },
  };
}

function merge(fresh: readonly AttemptItem[], kept: readonly AttemptItem[]): readonly AttemptItem[] {
  if (kept.length === 0) return fresh;
  const known = new Set(fresh.map(({ id }) => id));
  return [...fresh, ...kept.filter(({ id }) => !known.has(id))];
}
