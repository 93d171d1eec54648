import type { Overview } from "../../_server/count-tasks.ts";

type Counted = "pending" | "due" | "running" | "failed";

export interface Totals extends Readonly<Record<Counted, number>> {
  /** Of the types that are not paused: what waits on purpose is not late. */
  readonly oldestDueAgeMs: number;
  /** Taken back from dead workers in the last hour; null if the history could not be read. */
  readonly recycled1h: number | null;
  /** Whether counting stopped at its limit in at least one type, so that the total means "at least". */
  readonly isCapped: Readonly<Record<Counted, boolean>>;
}

/** The counts of all event types together. */
export function totalsOf({ eventTypes, countMax }: Overview): Totals {
  const sum = (name: Counted) => eventTypes.reduce((total, type) => total + type[name], 0);
  const capped = (name: Counted) => eventTypes.some((type) => type[name] >= countMax);
  return {
    pending: sum("pending"),
    due: sum("due"),
    running: sum("running"),
    failed: sum("failed"),
    recycled1h: eventTypes.some(({ recycled1h }) => recycled1h === null)
      ? null
      : eventTypes.reduce((total, { recycled1h }) => total + (recycled1h ?? 0), 0),
    oldestDueAgeMs: Math.max(0, ...eventTypes.map((type) => (type.paused ? 0 : type.oldestDueAgeMs))),
    isCapped: {
      pending: capped("pending"),
      due: capped("due"),
      running: capped("running"),
      failed: capped("failed"),
    },
  };
}
