import type { SeedPart } from "./seed-chunks.ts";
import { before, BULK_TYPE, causeOf, errorOf, eventTypeOf, LIVE_DAYS, LIVE_ID, spread, WORKER } from "./seed-plan.ts";

const NOTE = "x".repeat(120);
const DAY_MS = 86_400_000;

/** Shares of the live tasks, as bounds of the row's `state` number; what is left has succeeded. */
const STATES = {
  due: 0.005,
  scheduled: 0.03,
  retrying: 0.04,
  running: 0.042,
  failed: 0.072,
  cancelled: 0.082,
} as const;

const COLUMNS = `id, event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
  first_retry_interval, next_retry_time, create_time, update_time, owner, claim_no, recycle_count, last_error,
  error_fingerprint, finish_reason, started_time, finished_time, origin`;
const PAYLOAD = `CONCAT('{"orderId":"', n, '","amount":', MOD(n, 10000), ',"note":"${NOTE}"}')`;
const ID = `${LIVE_ID} + n`;
const KEY = `CONCAT('order-', LPAD(${ID}, 12, '0'))`;

/** Live tasks of all states and types, oldest first; `base` is the instant the seed was begun. */
export function liveTasks(rows: number, base: string): SeedPart {
  // Milliseconds before the base at which the task was made, evenly over the days.
  const age = `FLOOR(${LIVE_DAYS * DAY_MS} * (1 - n / ${rows}e0))`;
  const isBelow = (state: keyof typeof STATES) => `state < ${STATES[state]}`;
  const status = `CASE WHEN ${isBelow("retrying")} THEN 0 WHEN ${isBelow("running")} THEN 3 WHEN ${isBelow("failed")} THEN 2
    WHEN ${isBelow("cancelled")} THEN 4 ELSE 1 END`;
  const hasFailed = `(state >= ${STATES.scheduled} AND ${isBelow("failed")})`;
  const due = `CASE WHEN ${isBelow("due")} THEN ${before(base, "age * 0.02")} WHEN ${isBelow("retrying")}
    THEN ${before(base, `-21600000e0 * ${spread("time")}`)} ELSE ${before(base, "age")} END`;
  const retries = `CASE WHEN NOT ${hasFailed} THEN 0 WHEN ${isBelow("retrying")} THEN 1 + MOD(n, 4) ELSE 8 END`;
  const ended = `CASE WHEN ${isBelow("running")} THEN NULL ELSE ${before(base, "age - 900")} END`;
  return {
    name: "live",
    rows,
    statements: (numbers) => [
      `INSERT INTO t_retry_task (${COLUMNS})
        SELECT ${ID}, ${eventTypeOf}, ${KEY}, ${PAYLOAD}, ${status}, ${retries}, 8, 'EXPONENTIAL', 10, ${due}, ${before(base, "age")},
          ${before(base, "age - 900")}, CASE WHEN ${isBelow("retrying")} THEN NULL ELSE '${WORKER}' END,
          CASE WHEN ${isBelow("scheduled")} THEN 0 ELSE 1 END, 0, CASE WHEN ${hasFailed} THEN ${errorOf} END,
          CASE WHEN ${hasFailed} THEN ${causeOf} END,
          CASE WHEN ${isBelow("running")} THEN NULL WHEN ${isBelow("failed")} THEN 'exhausted' WHEN ${isBelow("cancelled")} THEN 'cancelled' ELSE 'success' END,
          CASE WHEN ${isBelow("retrying")} THEN NULL ELSE ${before(base, "age - 800")} END, ${ended}, 'bench'
        FROM (SELECT n, ${spread("state")} AS state, ${age} AS age FROM ${numbers}) AS plan`,
    ],
  };
}

/** Failed tasks of one type, all of the last hour, for the bulk action. */
export function bulkTasks(rows: number, liveRows: number, base: string): SeedPart {
  const at = (more: number) => before(base, `MOD(n, 3600) * 1000 + ${more}`);
  return {
    name: "bulk",
    rows,
    statements: (numbers) => [
      `INSERT INTO t_retry_task (${COLUMNS})
        SELECT ${ID} + ${liveRows}, '${BULK_TYPE}', CONCAT('bulk-', LPAD(n, 12, '0')), ${PAYLOAD}, 2, 8, 8, 'EXPONENTIAL', 10, ${at(2_000)},
          ${at(9_000)}, ${at(0)}, '${WORKER}', 9, 0, ${errorOf}, ${causeOf}, 'exhausted', ${at(1_000)}, ${at(0)}, 'bench' FROM ${numbers}`,
    ],
  };
}

/** Two entries in the history of every task that has failed: a failure that was tried again, and the present state. */
export function liveAttempts(rows: number, base: string): SeedPart {
  const at = (more: number) => before(base, `FLOOR(${DAY_MS}e0 * ${spread("time")}) + ${more}`);
  const columns =
    "task_id, event_type, kind, retry_count, claim_no, owner, error, error_fingerprint, duration_ms, create_time";
  const insert = (kind: string, retryCount: number, more: number, numbers: string) =>
    `INSERT INTO t_retry_attempt (${columns})
      SELECT ${ID}, ${eventTypeOf}, '${kind}', ${retryCount}, ${retryCount}, '${WORKER}', ${errorOf}, ${causeOf}, 40 + MOD(n, 900), ${at(more)}
      FROM (SELECT n, ${spread("state")} AS state FROM ${numbers}) AS plan WHERE state >= ${STATES.running} AND state < ${STATES.failed}`;
  return {
    name: "attempts",
    rows,
    statements: (numbers) => [insert("retried", 7, 600_000, numbers), insert("failed", 8, 0, numbers)],
  };
}
