"use client";

import { useTranslations } from "next-intl";
import type { OrderFilter } from "../../_server/bulk-view.ts";
import { useMay } from "../account/asker.tsx";
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
  /** Opens the panel in which a reset of these is ordered. */
  readonly order: (filter: OrderFilter) => void;
}

/** The actions on many tasks in the selection's bar: reset those that are selected, or all that the filter has. */
export function BulkBar({ ids, filter, matching, order }: BulkScope) {
  const t = useTranslations("tasks");
  const mayAct = useMay("bulk.act");
  if (!mayAct) return null;
  const isMore = matching !== undefined && (matching.atLeast || matching.count > ids.length);
  const { state } = filter;
  // Of tasks in other states a reset would only skip them.
  const all = state === "all" || state === "failed" || state === "stuck" ? { ...filter, state } : undefined;
  return (
    <>
      {isMore && all && (
        <button type="button" className="button min-h-8" onClick={() => order(all)}>
          {t("resetMatching", { number: `${matching.count.toLocaleString("en-GB")}${matching.atLeast ? "+" : ""}` })}
        </button>
      )}
      {ids.length > 1 && (
        <button
          type="button"
          className="button button-primary min-h-8"
          onClick={() => order({ state: "all", ids: [...ids] })}
        >
          {t("resetSelected", { count: ids.length })}
        </button>
      )}
    </>
  );
}
