"use client";

import { CountTiles } from "./count-tiles.tsx";
import { TypeTable } from "./type-table.tsx";
import { useOverview } from "./use-overview.ts";
import { VerdictLine } from "./verdict-line.tsx";

/** The state of all event types: the verdict, the totals, and each type. One answer feeds all three. */
export function OverviewBoard() {
  const query = useOverview();
  return (
    <>
      <VerdictLine overview={query.data} error={query.error} />
      <CountTiles overview={query.data} isUnknown={query.error !== null} />
      <TypeTable query={query} />
    </>
  );
}
