import type { MetricBucket } from "./queries/metric-rollups.ts";
import { METRIC_COUNTERS, type MetricCounts, type TypeGauges } from "./queries/metrics.ts";

/**
 * Folds buckets into longer ones of `bucketMs`, which begin at multiples of it since 1970: per type the counters are
 * summed and each gauge is the highest seen. Folding in steps gives what folding at once gives.
 */
export function foldMetrics(buckets: readonly MetricBucket[], bucketMs: number): MetricBucket[] {
  const folded = new Map<string, MetricBucket>();
  for (const bucket of buckets) {
    const at = startOfBucket(bucket.at, bucketMs);
    const key = `${at.getTime()} ${bucket.eventType}`;
    const known = folded.get(key);
    folded.set(key, known ? mergeBuckets(known, bucket) : { ...bucket, at });
  }
  return [...folded.values()];
}

/** When the bucket that holds an instant begins. */
export function startOfBucket(instant: Date, bucketMs: number): Date {
  return new Date(Math.floor(instant.getTime() / bucketMs) * bucketMs);
}

function mergeBuckets(into: MetricBucket, other: MetricBucket): MetricBucket {
  return {
    ...into,
    gauges: highest(into.gauges, other.gauges),
    counts: Object.fromEntries(
      METRIC_COUNTERS.map((name) => [name, into.counts[name] + other.counts[name]]),
    ) as MetricCounts,
  };
}

function highest(one: TypeGauges | undefined, other: TypeGauges | undefined): TypeGauges | undefined {
  if (!one || !other) return one ?? other;
  return {
    pending: Math.max(one.pending, other.pending),
    due: Math.max(one.due, other.due),
    running: Math.max(one.running, other.running),
    failed: Math.max(one.failed, other.failed),
    oldestDueAgeMs: Math.max(one.oldestDueAgeMs, other.oldestDueAgeMs),
  };
}
