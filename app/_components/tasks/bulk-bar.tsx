"use client";

import type { ListView } from "./list-view.ts";

/** What a bulk action can be about: the selected tasks, or all that a view's filter has. */
export interface BulkScope {
  /** In the order they were selected; at most `SELECTED_MAX`. */
  readonly ids: readonly string[];
  /** The words of the filter, as `GET /api/v1/tasks` takes them. */
  readonly view: Pick<ListView, "state" | "filter">;
  /** How many tasks the filter has, if that is counted; `atLeast` if counting stopped before the end. */
  readonly matching: { readonly count: number; readonly atLeast: boolean } | undefined;
  readonly clear: () => void;
}

/** The place of actions on many tasks in the selection's bar. */
export function BulkBar(_scope: BulkScope) {
  return null;
}
