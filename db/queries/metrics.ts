import { sql, type SQL } from "drizzle-orm";
import { isDuplicateKey } from "../mysql-errors.ts";
import { metric } from "../schema/metric.ts";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import type { Session } from "../session.ts";
import { laterBy } from "./insert-tasks.ts";

/** The counters a worker adds up per event type. */
export const METRIC_COUNTERS = [
  "enqueued",
  "eager",
  "succeeded",
  "skipped",
  "retried",
  "failed",
  "released",
  "rejected",
  "recycled",
  "stale",
] as const;
export type MetricCounter = (typeof METRIC_COUNTERS)[number];
export type MetricCounts = Readonly<Record<MetricCounter, number>>;

const minuteOf = (session: Session): SQL =>
  sql`TIMESTAMPADD(SECOND, -SECOND(${session.now}), CAST(DATE_FORMAT(${session.now}, '%Y-%m-%d %H:%i:%s') AS DATETIME(3)))`;

/** Upper edges of the latency histogram's buckets in milliseconds; one more bucket holds what is slower. */
export const LATENCY_EDGES_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000,
] as const;

/** Runs per bucket of `LATENCY_EDGES_MS`: those of the present minute so far, and those since the last write. */
export interface LatencyCounts {
  readonly minute: readonly number[];
  readonly fresh: readonly number[];
}

/**
 * Adds counts to the current minute (by the database's clock) of one type under the writer's own source, so that no two
 * processes ever write the same row. True: a new minute has begun, its histogram holds the fresh counts only.
 */
export async function addMetricCounts(
  session: Session,
  params: {
    readonly eventType: string;
    readonly source: string;
    readonly counts: MetricCounts;
    readonly latency?: LatencyCounts;
  },
): Promise<boolean> {
  const { counts, latency } = params;
  const minute = minuteOf(session);
  const add = () =>
    session.change(
      sql`UPDATE ${metric} SET latency_histogram = ${latency ? JSON.stringify(latency.minute) : null}, ${sql.join(
        METRIC_COUNTERS.map((name) => sql.raw(`${name}_count = ${name}_count + ${Math.trunc(counts[name])}`)),
        sql`, `,
      )} WHERE minute = ${minute} AND event_type = ${params.eventType} AND source = ${params.source}`,
    );
  if ((await add()).affectedRows > 0) return false;
  try {
    await session.change(
      sql`INSERT INTO ${metric} (minute, event_type, source, latency_histogram, ${sql.raw(METRIC_COUNTERS.map((name) => `${name}_count`).join(", "))})
        VALUES (${minute}, ${params.eventType}, ${params.source}, ${latency ? JSON.stringify(latency.fresh) : null},
          ${sql.raw(METRIC_COUNTERS.map((name) => Math.trunc(counts[name])).join(", "))})`,
    );
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await add();
    return false;
  }
}

/** The state of one type at one moment; counts end at `GAUGE_COUNT_MAX`. */
export interface TypeGauges {
  readonly pending: number;
  /** Of the pending: those that could run now. The rest is scheduled for later. */
  readonly due: number;
  readonly running: number;
  readonly failed: number;
  /** Age of the oldest due pending task in milliseconds; 0 if none is due. */
  readonly oldestDueAgeMs: number;
}

/** Counting stops here, so that a look at a flooded type costs no more than this many index entries. */
export const GAUGE_COUNT_MAX = 100_000;

/** Counts one type's pending, due, running and failed tasks in `idx_claim`, each at most to `limit`. */
export async function readTypeGauges(
  session: Session,
  eventType: string,
  limit = GAUGE_COUNT_MAX,
): Promise<TypeGauges> {
  const count = (status: number, condition = sql``) =>
    sql`(SELECT COUNT(*) FROM (SELECT 1 FROM ${task} FORCE INDEX (idx_claim) WHERE event_type = ${eventType} AND status = ${status} ${condition}
      LIMIT ${sql.raw(String(Math.trunc(limit)))}) AS capped)`;
  const rows = await session.rows<Record<"pending" | "due" | "running" | "failed" | "age", string | number | null>>(
    sql`SELECT ${count(STATUS_CODE.pending)} AS pending,
      ${count(STATUS_CODE.pending, sql`AND next_retry_time <= ${session.now}`)} AS due, ${count(STATUS_CODE.running)} AS running, ${count(STATUS_CODE.failed)} AS failed,
      (SELECT TIMESTAMPDIFF(MICROSECOND, next_retry_time, ${session.now}) DIV 1000 FROM ${task} FORCE INDEX (idx_claim)
        WHERE event_type = ${eventType} AND status = ${STATUS_CODE.pending} ORDER BY next_retry_time, id LIMIT 1) AS age`,
  );
  const row = rows[0];
  return {
    pending: Number(row?.pending ?? 0),
    due: Number(row?.due ?? 0),
    running: Number(row?.running ?? 0),
    failed: Number(row?.failed ?? 0),
    oldestDueAgeMs: Math.max(0, Number(row?.age ?? 0)),
  };
}

/** Stores the gauges of the current minute; a second sample in one minute replaces the first. */
export async function storeTypeGauges(session: Session, eventType: string, gauges: TypeGauges): Promise<void> {
  const minute = minuteOf(session);
  const { affectedRows } = await session.change(
    sql`UPDATE ${metric} SET pending = ${gauges.pending}, due = ${gauges.due}, running = ${gauges.running}, failed = ${gauges.failed},
      oldest_due_age_ms = ${gauges.oldestDueAgeMs} WHERE minute = ${minute} AND event_type = ${eventType} AND source = 'cluster'`,
  );
  if (affectedRows > 0) return;
  try {
    await session.change(
      sql`INSERT INTO ${metric} (minute, event_type, source, pending, due, running, failed, oldest_due_age_ms)
        VALUES (${minute}, ${eventType}, 'cluster', ${gauges.pending}, ${gauges.due}, ${gauges.running}, ${gauges.failed}, ${gauges.oldestDueAgeMs})`,
    );
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/** The newest gauges of each type, as the elected sampler stored them within the last three minutes. */
export async function readSampledGauges(session: Session): Promise<Map<string, TypeGauges>> {
  const rows = await session.rows<
    Record<"event_type" | "pending" | "due" | "running" | "failed" | "age", string | number>
  >(
    sql`SELECT event_type, pending, COALESCE(due, pending) AS due, running, failed, oldest_due_age_ms AS age FROM ${metric} FORCE INDEX (PRIMARY)
      WHERE minute >= ${laterBy(session, -180_000)} AND source = 'cluster' ORDER BY ${metric.minute}, ${metric.eventType}`,
  );
  return new Map(
    rows.map((row) => [
      String(row.event_type),
      {
        pending: Number(row.pending),
        due: Number(row.due),
        running: Number(row.running),
        failed: Number(row.failed),
        oldestDueAgeMs: Number(row.age),
      },
    ]),
  );
}

/** Deletes up to 500 metric rows older than `olderThanMs`, oldest first by primary key; returns how many. */
export async function removeOldMetrics(session: Session, olderThanMs: number): Promise<number> {
  const { affectedRows } = await session.change(
    sql`DELETE FROM ${metric} WHERE minute < ${laterBy(session, -olderThanMs)} ORDER BY minute, event_type, source LIMIT 500`,
  );
  return affectedRows;
}
