import { sql } from "drizzle-orm";
import { bulkItem, type BulkResult, type BulkSkip } from "../schema/bulk.ts";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idLiteral, idRows, type Session } from "../session.ts";
import { type BulkScope, matchesScope } from "./bulk-scope.ts";

/** A task as it was under the lock, before the action. */
export interface LockedTask {
  readonly id: string;
  readonly eventType: string;
  readonly status: number;
  readonly retryCount: number;
  readonly claimNo: number;
  readonly matches: boolean;
  /** What a revert writes back. */
  readonly previous: PreviousTask;
}

/** The columns that a reset or a cancel changes, as they were; instants as the database stores them. */
export interface PreviousTask {
  readonly status: number;
  readonly retryCount: number;
  readonly recycleCount: number;
  readonly nextRetryTime: string;
  readonly finishReason: string | null;
  readonly startedTime: string | null;
  readonly finishedTime: string | null;
  readonly ip: string | null;
  readonly owner: string | null;
}

interface LockedRow {
  readonly id: string;
  readonly event_type: string;
  readonly status: number;
  readonly retry_count: number;
  readonly recycle_count: number;
  readonly claim_no: number;
  readonly next_retry_time: string;
  readonly finish_reason: string | null;
  readonly started_time: string | null;
  readonly finished_time: string | null;
  readonly ip: string | null;
  readonly owner: string | null;
  readonly matches: number | string;
}

const lockedColumns = sql.raw(
  "CAST(t.id AS CHAR) AS id, t.event_type, t.status, t.retry_count, t.recycle_count, t.claim_no, t.next_retry_time, t.finish_reason, " +
    "t.started_time, t.finished_time, t.ip, t.owner",
);

/**
 * Locks those of at most 200 tasks that nobody else holds, by primary key, for the caller's short READ COMMITTED
 * transaction, and says of each whether the filter still means it. Held or missing rows are left out; nothing waits.
 */
export async function lockForBulk(session: Session, ids: readonly string[], scope: BulkScope): Promise<LockedTask[]> {
  if (ids.length === 0) return [];
  const rows = await session.rows<LockedRow>(
    sql`SELECT ${lockedColumns}, (${matchesScope(session, scope)}) AS matches
      FROM ${idRows(ids)} AS list STRAIGHT_JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id FOR UPDATE SKIP LOCKED`,
  );
  return rows.map(lockedTask);
}

/**
 * Locks those of at most 200 tasks that another action changed. `matches`: the task is as that action left it, to the
 * claim number and the instant of its last write, so that neither a worker nor a person has touched it since.
 */
export async function lockForRevert(
  session: Session,
  ids: readonly string[],
  sourceId: string,
): Promise<(LockedTask & { readonly written: PreviousTask | undefined })[]> {
  if (ids.length === 0) return [];
  const rows = await session.rows<LockedRow & { readonly previous: string | null }>(
    sql`SELECT ${lockedColumns}, item.previous, (t.status IN (${STATUS_CODE.pending}, ${STATUS_CODE.cancelled})
        AND t.claim_no = item.claim_no AND t.update_time = item.create_time) AS matches
      FROM ${idRows(ids)} AS list STRAIGHT_JOIN ${bulkItem} AS item FORCE INDEX (PRIMARY)
        ON item.bulk_id = ${idLiteral(sourceId)} AND item.task_id = list.id AND item.result = 'done'
      STRAIGHT_JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id FOR UPDATE SKIP LOCKED`,
  );
  return rows.map((row) => ({
    ...lockedTask(row),
    written: row.previous === null ? undefined : (JSON.parse(row.previous) as PreviousTask),
  }));
}

function lockedTask(row: LockedRow): LockedTask {
  return {
    id: row.id,
    eventType: row.event_type,
    status: row.status,
    retryCount: row.retry_count,
    claimNo: row.claim_no,
    matches: Number(row.matches) === 1,
    previous: {
      status: row.status,
      retryCount: row.retry_count,
      recycleCount: row.recycle_count,
      nextRetryTime: row.next_retry_time,
      finishReason: row.finish_reason,
      startedTime: row.started_time,
      finishedTime: row.finished_time,
      ip: row.ip,
      owner: row.owner,
    },
  };
}

/** Which of these tasks are in the live table; a plain read. Of tasks that could not be locked it tells held from gone. */
export async function listLiveIds(session: Session, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await session.rows<{ id: string }>(
    sql`SELECT CAST(t.id AS CHAR) AS id FROM ${idRows(ids)} AS list STRAIGHT_JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Which of these tasks the action has dealt with already. */
export async function listKnownItems(
  session: Session,
  bulkId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await session.rows<{ id: string }>(
    sql`SELECT CAST(item.task_id AS CHAR) AS id FROM ${idRows(ids)} AS list STRAIGHT_JOIN ${bulkItem} AS item FORCE INDEX (PRIMARY)
      ON item.bulk_id = ${idLiteral(bulkId)} AND item.task_id = list.id`,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Gives locked tasks back what an action took from them, each guarded once more by its status and claim number; answers
 * the number of rows changed. The caller holds their locks.
 */
export async function revertTasks(
  session: Session,
  tasks: readonly { readonly id: string; readonly claimNo: number; readonly written: PreviousTask }[],
): Promise<number> {
  if (tasks.length === 0) return 0;
  const rows = [...tasks]
    .sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1))
    .map(
      ({ id, claimNo, written }) =>
        sql`SELECT ${idLiteral(id)} AS id, ${claimNo} AS claim_no, ${written.status} AS status, ${written.retryCount} AS retry_count,
          ${written.recycleCount} AS recycle_count, CAST(${written.nextRetryTime} AS DATETIME(3)) AS next_retry_time,
          ${written.finishReason} AS finish_reason, CAST(${written.startedTime} AS DATETIME(3)) AS started_time,
          CAST(${written.finishedTime} AS DATETIME(3)) AS finished_time, ${written.ip} AS ip, ${written.owner} AS owner`,
    );
  const { affectedRows } = await session.change(
    sql`UPDATE (${sql.join(rows, sql` UNION ALL `)}) AS list STRAIGHT_JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id
      SET t.status = list.status, t.retry_count = list.retry_count, t.recycle_count = list.recycle_count,
        t.next_retry_time = list.next_retry_time, t.finish_reason = list.finish_reason, t.started_time = list.started_time,
        t.finished_time = list.finished_time, t.ip = list.ip, t.owner = list.owner, t.update_time = ${session.now}
      WHERE t.status IN (${STATUS_CODE.pending}, ${STATUS_CODE.cancelled}) AND t.claim_no = list.claim_no`,
  );
  return affectedRows;
}

export interface NewBulkItem {
  readonly taskId: string;
  readonly result: BulkResult;
  readonly detail?: BulkSkip | undefined;
  readonly previous?: PreviousTask | undefined;
  readonly claimNo: number;
}

/** Notes what became of tasks, in the transaction that changed them. A task that was noted before raises 1062. */
export async function insertBulkItems(session: Session, bulkId: string, items: readonly NewBulkItem[]): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map(
    (one) => sql`(${idLiteral(bulkId)}, ${idLiteral(one.taskId)}, ${one.result}, ${one.detail ?? null},
      ${one.previous === undefined ? null : JSON.stringify(one.previous)}, ${one.claimNo}, ${session.now})`,
  );
  await session.change(
    sql`INSERT INTO ${bulkItem} (bulk_id, task_id, result, detail, previous, claim_no, create_time) VALUES ${sql.join(rows, sql`, `)}`,
  );
}
