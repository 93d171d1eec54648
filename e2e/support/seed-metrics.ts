import type { Store } from "./fixtures.ts";

const MINUTE_MS = 60_000;

/** What one event type did in one bucket of time, over all workers. */
export interface SeededBucket {
  readonly eventType: string;
  readonly at: Date;
  /** `cluster` for a sample, a worker for its counters, `5m`, `15m` or `2h` for a folded bucket. */
  readonly source: string;
  readonly pending?: number;
  readonly due?: number;
  readonly running?: number;
  readonly failed?: number;
  readonly oldestDueAgeMs?: number;
  readonly enqueued?: number;
  readonly succeeded?: number;
  readonly retried?: number;
  readonly failures?: number;
  readonly recycled?: number;
  readonly rejected?: number;
}

/** The start of the bucket that holds an instant. */
export function bucketStart(at: number, bucketMs: number = MINUTE_MS): Date {
  return new Date(Math.floor(at / bucketMs) * bucketMs);
}

/** Stores metric rows as workers and the elected sampler do. */
export async function insertMetrics(store: Store, buckets: readonly SeededBucket[]): Promise<void> {
  for (let first = 0; first < buckets.length; first += 500) {
    const rows = buckets.slice(first, first + 500).map((one) => {
      const gauges = [one.pending, one.due, one.running, one.failed, one.oldestDueAgeMs].map(
        (value) => value ?? "NULL",
      );
      const counts = [one.enqueued, one.succeeded, one.retried, one.failures, one.recycled, one.rejected];
      const numbers = [...gauges, ...counts.map((value) => value ?? 0)].map(String).join(", ");
      return `('${store.stored(one.at)}', '${one.eventType}', '${one.source}', ${numbers})`;
    });
    await store.run(
      `INSERT INTO t_retry_metric (minute, event_type, source, pending, due, running, failed, oldest_due_age_ms, enqueued_count,
        succeeded_count, retried_count, failed_count, recycled_count, rejected_count) VALUES ${rows.join(", ")}`,
    );
  }
}
