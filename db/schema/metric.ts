import { bigint, int, mysqlTable, primaryKey, text } from "drizzle-orm/mysql-core";
import { binaryText, instant } from "./columns.ts";

/**
 * Per minute and event type. Counters are written by each worker under its own `source` (its owner id), so that no two
 * processes ever write one row; gauges are sampled once a minute by the elected leader under the source `cluster`. It also
 * folds them into buckets under the sources `5m`, `15m` and `2h` (counters summed, gauges at their highest), whose `minute` is
 * the bucket's start: whoever sums up sources leaves these out.
 */
export const metric = mysqlTable(
  "t_retry_metric",
  {
    minute: instant("minute").notNull(),
    eventType: binaryText("event_type", 64).notNull(),
    source: binaryText("source", 64).notNull(),
    pending: int("pending"),
    running: int("running"),
    failed: int("failed"),
    oldestDueAgeMs: bigint("oldest_due_age_ms", { mode: "number" }),
    enqueuedCount: int("enqueued_count").notNull().default(0),
    eagerCount: int("eager_count").notNull().default(0),
    succeededCount: int("succeeded_count").notNull().default(0),
    skippedCount: int("skipped_count").notNull().default(0),
    retriedCount: int("retried_count").notNull().default(0),
    failedCount: int("failed_count").notNull().default(0),
    releasedCount: int("released_count").notNull().default(0),
    rejectedCount: int("rejected_count").notNull().default(0),
    recycledCount: int("recycled_count").notNull().default(0),
    staleCount: int("stale_count").notNull().default(0),
    latencyHistogram: text("latency_histogram"),
    due: int("due"),
    archivedCount: int("archived_count").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.minute, table.eventType, table.source] })],
);
