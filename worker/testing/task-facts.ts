import { randomBytes } from "node:crypto";
import type { RowDataPacket } from "mysql2/promise";
import { STATUS_CODE, statusFromCode, type TaskStatus } from "../../db/schema/task-status.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import type { Step } from "./child-engine.ts";
import { waitFor } from "./wait-for.ts";

/** What a scenario asserts of a row. */
export interface TaskFact {
  readonly id: string;
  readonly eventType: string;
  readonly bizKey: string;
  readonly status: TaskStatus;
  readonly retryCount: number;
  readonly recycleCount: number;
  readonly claimNo: number;
  readonly owner: string | null;
  readonly nextRetryTime: string;
  readonly finishReason: string | null;
  readonly lastError: string | null;
}

/** Inserts pending tasks that are due, as foreign code would, in statements of 1,000 rows. */
export async function insertDueTasks(
  database: TestDatabase,
  eventType: string,
  count: number,
  options: { readonly steps?: readonly Step[]; readonly prefix?: string; readonly maxRetryCount?: number } = {},
): Promise<void> {
  const prefix = options.prefix ?? randomBytes(4).toString("hex");
  const context = JSON.stringify(options.steps ? { steps: options.steps } : null);
  for (let start = 0; start < count; start += 1_000) {
    const size = Math.min(1_000, count - start);
    const rows = Array.from({ length: size }, (_, index) => [
      ...[eventType, `${prefix}-${start + index}`, context, STATUS_CODE.pending, options.maxRetryCount ?? 5],
    ]);
    await database.pool.query(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy,
        first_retry_interval, next_retry_time)
        VALUES ${rows.map(() => "(?, ?, ?, ?, ?, 'FIXED', 1, UTC_TIMESTAMP(3) - INTERVAL 1 SECOND)").join(", ")}`,
      rows.flat(),
    );
  }
}

/** The rows of a type, or of all types, by id. */
export async function taskFacts(database: TestDatabase, eventType?: string): Promise<TaskFact[]> {
  const [rows] = await database.pool.query<RowDataPacket[]>(
    `SELECT CAST(id AS CHAR) AS id, event_type, biz_key, status, retry_count, recycle_count, claim_no, owner,
      CAST(next_retry_time AS CHAR) AS due, finish_reason, last_error
      FROM t_retry_task ${eventType === undefined ? "" : "WHERE event_type = ?"} ORDER BY t_retry_task.id`,
    eventType === undefined ? [] : [eventType],
  );
  return rows.map((row) => ({
    id: String(row["id"]),
    eventType: String(row["event_type"]),
    bizKey: String(row["biz_key"]),
    status: statusFromCode(Number(row["status"])) ?? fail(row["status"]),
    retryCount: Number(row["retry_count"]),
    recycleCount: Number(row["recycle_count"]),
    claimNo: Number(row["claim_no"]),
    owner: row["owner"] === null ? null : String(row["owner"]),
    nextRetryTime: String(row["due"]),
    finishReason: row["finish_reason"] === null ? null : String(row["finish_reason"]),
    lastError: row["last_error"] === null ? null : String(row["last_error"]),
  }));
}

/** How many rows are in each status: `{ succeeded: 200 }`. */
export async function statusCounts(database: TestDatabase, eventType?: string): Promise<Record<string, number>> {
  const [rows] = await database.pool.query<RowDataPacket[]>(
    `SELECT status, COUNT(*) AS n FROM t_retry_task ${eventType === undefined ? "" : "WHERE event_type = ?"} GROUP BY status`,
    eventType === undefined ? [] : [eventType],
  );
  return Object.fromEntries(rows.map((row) => [statusFromCode(Number(row["status"])), Number(row["n"])]));
}

/** Waits until every row of the type is in one of these statuses; answers the counts. */
export async function whenAll(
  database: TestDatabase,
  statuses: readonly TaskStatus[],
  options: { readonly eventType?: string; readonly timeoutMs?: number; readonly check?: () => void } = {},
): Promise<Record<string, number>> {
  let counts: Record<string, number> = {};
  const look = async (): Promise<boolean> => {
    options.check?.();
    counts = await statusCounts(database, options.eventType);
    return Object.keys(counts).every((status) => statuses.includes(status as TaskStatus));
  };
  await waitFor(`all tasks ${statuses.join(" or ")}`, look, options.timeoutMs ?? 60_000).catch((error: Error) => {
    throw new Error(`${error.message}; they are ${JSON.stringify(counts)}`);
  });
  return counts;
}

/** Entries of one kind in the tasks' history, oldest first. */
export async function attemptsOf(
  database: TestDatabase,
  kind: string,
): Promise<{ taskId: string; claimNo: number; owner: string | null; detail: string | null; retryCount: number }[]> {
  const [rows] = await database.pool.query<RowDataPacket[]>(
    `SELECT CAST(task_id AS CHAR) AS task_id, claim_no, owner, detail, retry_count FROM t_retry_attempt
      WHERE kind = ? ORDER BY t_retry_attempt.id`,
    [kind],
  );
  return rows.map((row) => ({
    taskId: String(row["task_id"]),
    claimNo: Number(row["claim_no"]),
    owner: row["owner"] === null ? null : String(row["owner"]),
    detail: row["detail"] === null ? null : String(row["detail"]),
    retryCount: Number(row["retry_count"]),
  }));
}

/** The tables a service would have: business rows, and effects of handlers written with `ctx.transaction`. */
export async function createServiceTables(database: TestDatabase): Promise<void> {
  await database.pool.query("CREATE TABLE business (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64) NOT NULL)");
  await database.pool.query("CREATE TABLE effect (id BIGINT AUTO_INCREMENT PRIMARY KEY, task_id BIGINT, claim_no INT)");
}

/** How often each id occurs. */
export function timesPerId(items: readonly { readonly id: string }[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { id } of items) times.set(id, (times.get(id) ?? 0) + 1);
  return times;
}

function fail(status: unknown): never {
  throw new Error(`unknown status ${String(status)}`);
}
