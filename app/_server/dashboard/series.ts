import type { MetricBucket } from "../../../db/queries/metric-rollups.ts";

/** Types that get an area of their own in the chart of the backlog; the rest is one area. */
export const BACKLOG_TYPES_MAX = 6;

export interface BacklogSeries {
  /** Undefined: all other types together. */
  readonly eventType: string | undefined;
  /** The highest number of due tasks per bucket; null where nobody sampled. */
  readonly due: readonly (number | null)[];
}

/** How many runs ended in each way, per bucket. */
export const OUTCOMES = ["succeeded", "retried", "failed", "recycled", "rejected"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Series {
  readonly backlog: readonly BacklogSeries[];
  readonly outcomes: Readonly<Record<Outcome, readonly number[]>>;
  /** The age of the oldest due task, at its highest; null where nobody sampled. */
  readonly oldestDueAgeMs: readonly (number | null)[];
}

/** What the charts draw, from buckets of the types that may be seen. Skipped runs count as succeeded. */
export function seriesOf(starts: readonly Date[], buckets: readonly MetricBucket[]): Series {
  const position = new Map(starts.map((at, index) => [at.getTime(), index]));
  const placed = buckets.flatMap((bucket) => {
    const index = position.get(bucket.at.getTime());
    return index === undefined ? [] : [{ ...bucket, index }];
  });
  const outcomes = Object.fromEntries(OUTCOMES.map((name) => [name, starts.map(() => 0)])) as Record<Outcome, number[]>;
  const oldestDueAgeMs: (number | null)[] = starts.map(() => null);
  for (const { index, counts, gauges } of placed) {
    for (const name of OUTCOMES)
      addAt(outcomes[name], index, counts[name] + (name === "succeeded" ? counts.skipped : 0));
    if (gauges) oldestDueAgeMs[index] = Math.max(oldestDueAgeMs[index] ?? 0, gauges.oldestDueAgeMs);
  }
  return { backlog: backlogOf(starts.length, placed), outcomes, oldestDueAgeMs };
}

function backlogOf(length: number, placed: readonly (MetricBucket & { readonly index: number })[]): BacklogSeries[] {
  const peaks = new Map<string, number>();
  const sampled = new Set<number>();
  for (const { eventType, gauges, index } of placed) {
    if (!gauges) continue;
    sampled.add(index);
    peaks.set(eventType, Math.max(peaks.get(eventType) ?? 0, gauges.due));
  }
  const busy = [...peaks].filter(([, peak]) => peak > 0).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const own = busy.slice(0, BACKLOG_TYPES_MAX).map(([eventType]) => eventType);
  const named = new Set(own);
  const empty = () => Array.from({ length }, (_, index) => (sampled.has(index) ? 0 : null));
  const series = new Map<string | undefined, (number | null)[]>(own.map((eventType) => [eventType, empty()]));
  if (busy.length > own.length) series.set(undefined, empty());
  for (const { eventType, gauges, index } of placed) {
    const due = series.get(named.has(eventType) ? eventType : undefined);
    if (due && gauges) addAt(due, index, gauges.due);
  }
  return [...series].map(([eventType, due]) => ({ eventType, due }));
}

function addAt(values: (number | null)[], index: number, amount: number): void {
  values[index] = (values[index] ?? 0) + amount;
}
