import { sql } from "drizzle-orm";
import { bulkItem, bulkReplay, type BulkResult, type BulkSkip } from "../schema/bulk.ts";
import { statusFromCode, type TaskStatus } from "../schema/task-status.ts";
import { taskArchive } from "../schema/task-archive.ts";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";

/** What became, since, of the tasks that an action changed. */
export interface BulkOutcome {
  readonly succeeded: number;
  /** Failed for good again. */
  readonly failed: number;
  /** Pending after a failed attempt since. */
  readonly retrying: number;
  /** Pending, not tried since. */
  readonly waiting: number;
  readonly running: number;
  readonly cancelled: number;
  /** Neither live nor in the archive of the days since. */
  readonly gone: number;
  /** Tasks that were looked at; fewer than the action changed if there are more than `OUTCOME_ROWS_MAX`. */
  readonly looked: number;
}

/** So many of an action's tasks are looked at for its outcome. */
export const OUTCOME_ROWS_MAX = 100_000;

/**
 * Counts what became of the tasks that an action changed, live and archived ones, each by one look-up of its key. The
 * archive is asked only for tasks that are not live, and only in the days since the action was made.
 */
export async function countBulkOutcome(
  session: Session,
  params: { readonly bulkId: string; readonly since: Date },
): Promise<BulkOutcome> {
  const counts = { succeeded: 0, failed: 0, retrying: 0, waiting: 0, running: 0, cancelled: 0, gone: 0, looked: 0 };
  const items = sql`(SELECT task_id AS id FROM ${bulkItem} FORCE INDEX (idx_result) WHERE bulk_id = ${idLiteral(params.bulkId)}
    AND result = 'done' ORDER BY task_id LIMIT ${sql.raw(String(OUTCOME_ROWS_MAX))}) AS list`;
  const live = await session.rows<{ status: number | null; tried: number | null; n: string | number }>(
    sql`SELECT t.status, t.retry_count > 0 AS tried, COUNT(*) AS n FROM ${items}
      LEFT JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id GROUP BY t.status, t.retry_count > 0`,
  );
  let missing = 0;
  for (const row of live) {
    const n = Number(row.n);
    counts.looked += n;
    if (row.status === null) missing += n;
    else add(counts, statusFromCode(row.status), Number(row.tried) === 1, n);
  }
  if (missing === 0) return counts;
  const archived = await session.rows<{ status: number; n: string | number }>(
    sql`SELECT a.status, COUNT(*) AS n FROM ${items} LEFT JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id
      STRAIGHT_JOIN ${taskArchive} AS a FORCE INDEX (PRIMARY) ON a.id = list.id AND a.archived_time >= ${session.zone.format(params.since)}
      WHERE t.id IS NULL GROUP BY a.status`,
  );
  for (const row of archived) {
    missing -= Number(row.n);
    add(counts, statusFromCode(row.status), false, Number(row.n));
  }
  return { ...counts, gone: Math.max(0, missing) };
}

type Counts = { -readonly [Name in keyof BulkOutcome]: number };

function add(counts: Counts, status: TaskStatus | undefined, tried: boolean, n: number): void {
  if (status === "pending") counts[tried ? "retrying" : "waiting"] += n;
  else if (status === undefined) counts.gone += n;
  else counts[status] += n;
}

/** Why tasks were left alone, live ones or those of a replay, with their numbers, through `idx_result`. */
export async function countSkips(
  session: Session,
  bulkId: string,
  kind: "live" | "archived" = "live",
): Promise<{ readonly detail: BulkSkip; readonly count: number }[]> {
  const items = kind === "live" ? bulkItem : bulkReplay;
  const rows = await session.rows<{ detail: BulkSkip; n: string | number }>(
    sql`SELECT list.detail, COUNT(*) AS n FROM (SELECT detail FROM ${items} FORCE INDEX (idx_result)
      WHERE bulk_id = ${idLiteral(bulkId)} AND result = 'skipped' LIMIT ${sql.raw(String(OUTCOME_ROWS_MAX))}) AS list
      GROUP BY list.detail`,
  );
  return rows
    .map(({ detail, n }) => ({ detail, count: Number(n) }))
    .sort((one, other) => other.count - one.count || one.detail.localeCompare(other.detail));
}

/** One task of an action, with its key and status by now if it is live. */
export interface BulkItemRow {
  readonly taskId: string;
  readonly result: BulkResult;
  readonly detail: BulkSkip | undefined;
  readonly at: Date;
  readonly eventType: string | undefined;
  readonly bizKey: string | undefined;
  /** Undefined: not in the live table. */
  readonly status: TaskStatus | undefined;
}

/** One page of an action's tasks with one result or all, by task id after a given one. */
export async function listBulkItems(
  session: Session,
  params: {
    readonly bulkId: string;
    readonly result?: BulkResult | undefined;
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<BulkItemRow[]> {
  const { result } = params;
  const index = sql.raw(result === undefined ? "PRIMARY" : "idx_result");
  const limit = sql.raw(String(Math.max(1, Math.min(1_001, Math.trunc(params.limit)))));
  const rows = await session.rows<{
    id: string;
    result: BulkResult;
    detail: BulkSkip | null;
    at: string;
    event_type: string | null;
    biz_key: string | null;
    status: number | null;
  }>(
    sql`SELECT CAST(item.task_id AS CHAR) AS id, item.result, item.detail, item.create_time AS at, t.event_type, t.biz_key, t.status
      FROM ${bulkItem} AS item FORCE INDEX (${index}) LEFT JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = item.task_id
      WHERE item.bulk_id = ${idLiteral(params.bulkId)} ${result === undefined ? sql`` : sql`AND item.result = ${result}`}
        AND item.task_id > ${idLiteral(params.after ?? "0")} ORDER BY item.task_id LIMIT ${limit}`,
  );
  return rows.map((row) => ({
    taskId: row.id,
    result: row.result,
    detail: row.detail ?? undefined,
    at: session.zone.parseInstant(row.at),
    eventType: row.event_type ?? undefined,
    bizKey: row.biz_key ?? undefined,
    status: row.status === null ? undefined : statusFromCode(row.status),
  }));
}
