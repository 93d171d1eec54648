import type { Overview, TypeOverview } from "../_server/count-tasks.ts";

type Counted = "pending" | "running" | "failed" | "recycled24h";

export interface Totals extends Readonly<Record<Counted, number>> {
  readonly oldestDueAgeMs: number;
  /** Whether counting stopped at its limit in at least one type, so that the total means "at least". */
  readonly isCapped: Readonly<Record<Counted, boolean>>;
}

/** The counts of all event types together. */
export function totalsOf({ eventTypes, countMax }: Overview): Totals {
  const sum = (name: Counted) => eventTypes.reduce((total, type) => total + type[name], 0);
  const capped = (name: Counted) => eventTypes.some((type) => type[name] >= countMax);
  return {
    pending: sum("pending"),
    running: sum("running"),
    failed: sum("failed"),
    recycled24h: sum("recycled24h"),
    oldestDueAgeMs: Math.max(0, ...eventTypes.map((type) => type.oldestDueAgeMs)),
    isCapped: { pending: capped("pending"), running: capped("running"), failed: capped("failed"), recycled24h: false },
  };
}

/** Worst first: most failed, then most taken back from dead workers, then by name. */
export function worstFirst(eventTypes: readonly TypeOverview[]): TypeOverview[] {
  return [...eventTypes].sort(
    (a, b) => b.failed - a.failed || b.recycled24h - a.recycled24h || (a.eventType < b.eventType ? -1 : 1),
  );
}

export type Verdict = "no_worker" | "failed" | "calm";

/** The one thing to know first. Without a worker nothing runs, so that comes before tasks that failed. */
export function verdictOf(overview: Overview): Verdict {
  if (overview.workers.alive === 0 && overview.eventTypes.length > 0) return "no_worker";
  return overview.eventTypes.some(({ failed }) => failed > 0) ? "failed" : "calm";
}
