import type { MetricBucket } from "../../../db/queries/metric-rollups.ts";
import { groupBy } from "./group-by.ts";

const MINUTE_MS = 60_000;
/** Rates are taken over this long. */
export const RATE_MS = 5 * MINUTE_MS;
/** Two samples closer than this do not tell whether a backlog drains. */
const DRAIN_SPAN_MIN_MS = 2 * MINUTE_MS;

export const SPARKS = ["due", "oldestDueAgeMs", "running", "failed", "recycled"] as const;
export type Spark = (typeof SPARKS)[number];
export type Snapshot = Readonly<Record<Spark, number | null>>;

/** How one event type moves. */
export interface TypeTrend {
  readonly eventType: string;
  /** The share of the runs of the last five minutes that failed; null if none ended. */
  readonly failShare: number | null;
  /** Runs that a full pool gave back in the last five minutes. */
  readonly rejected: number;
  /** What becomes of the backlog if it goes on as in the last five minutes; null if too few samples tell. */
  readonly drain: { readonly inMs: number } | "none" | "not_draining" | null;
}

/** The minutes of an hour of all types that may be seen, added up per minute; null where nobody sampled. */
export function sparksOf(starts: readonly Date[], buckets: readonly MetricBucket[]): Record<Spark, (number | null)[]> {
  const byMinute = groupBy(buckets, ({ at }) => at.getTime());
  const snapshots = starts.map((at) => snapshotOf(byMinute.get(at.getTime()) ?? []));
  return Object.fromEntries(SPARKS.map((name) => [name, snapshots.map((one) => one[name])])) as Record<
    Spark,
    (number | null)[]
  >;
}

/** The state of all types in buckets of one moment: counts added up, the highest age. */
export function snapshotOf(buckets: readonly MetricBucket[]): Snapshot {
  const gauges = buckets.flatMap((bucket) => (bucket.gauges ? [bucket.gauges] : []));
  const sum = (name: "due" | "running" | "failed") =>
    gauges.length === 0 ? null : gauges.reduce((total, one) => total + one[name], 0);
  return {
    due: sum("due"),
    running: sum("running"),
    failed: sum("failed"),
    oldestDueAgeMs: gauges.length === 0 ? null : Math.max(...gauges.map((one) => one.oldestDueAgeMs)),
    recycled: recycledIn(buckets),
  };
}

/** Tasks taken back from dead workers. */
export function recycledIn(buckets: readonly MetricBucket[]): number {
  return buckets.reduce((total, { counts }) => total + counts.recycled, 0);
}

/** How each type moves, from the minutes of the last hour. */
export function typeTrends(asOf: Date, minutes: readonly MetricBucket[]): TypeTrend[] {
  const recent = minutes.filter(({ at }) => at.getTime() > asOf.getTime() - RATE_MS - MINUTE_MS);
  return [...groupBy(recent, ({ eventType }) => eventType)].map(([eventType, buckets]) => {
    const sum = (name: "succeeded" | "skipped" | "retried" | "failed" | "rejected") =>
      buckets.reduce((total, { counts }) => total + counts[name], 0);
    const failed = sum("retried") + sum("failed");
    const ended = failed + sum("succeeded") + sum("skipped");
    return {
      eventType,
      failShare: ended === 0 ? null : failed / ended,
      rejected: sum("rejected"),
      drain: drainOf(buckets),
    };
  });
}

/** The backlog divided by how fast it fell between the first and the last of these samples. */
function drainOf(buckets: readonly MetricBucket[]): TypeTrend["drain"] {
  const samples = buckets
    .flatMap(({ at, gauges }) => (gauges ? [{ atMs: at.getTime(), due: gauges.due }] : []))
    .sort((a, b) => a.atMs - b.atMs);
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) return null;
  if (last.due === 0) return "none";
  const spanMs = last.atMs - first.atMs;
  if (spanMs < DRAIN_SPAN_MIN_MS) return null;
  const perMs = (first.due - last.due) / spanMs;
  return perMs <= 0 ? "not_draining" : { inMs: Math.round(last.due / perMs) };
}
