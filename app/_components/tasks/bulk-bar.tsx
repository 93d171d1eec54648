"use client";

import type { JsonFilter } from "./list-view.ts";

/** What a bulk action can be about: the selected tasks, or all that the list's filter has. */
export interface BulkScope {
  /** In the order they were selected; at most `SELECTED_MAX`. */
  readonly ids: readonly string[];
  /** The filter of the list, with its state. */
  readonly filter: JsonFilter;
  /** How many tasks the filter has, if that is counted; `atLeast` if counting stopped before the end. */
  readonly matching: { readonly count: number; readonly atLeast: boolean } | undefined;
  readonly clear: () => void;
}

/** The place of actions on many tasks in the selection's bar. */
export function BulkBar(_scope: BulkScope) {
  return null;
}
