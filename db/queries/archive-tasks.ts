import { sql, type SQL } from "drizzle-orm";
import { type ArchiveColumns, columnList } from "../archive-columns.ts";
import { attempt } from "../schema/attempt.ts";
import { attemptArchive } from "../schema/attempt-archive.ts";
import { STATUS_CODE, type TaskStatus } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { taskArchive } from "../schema/task-archive.ts";
import { idList, idLiteral, idRows, type Session } from "../session.ts";
import { BATCH_ROWS_MAX } from "./claim-tasks.ts";
import { laterBy } from "./insert-tasks.ts";
import type { TaskCursor } from "./list-tasks.ts";

/** The statuses that are ends; rows in any other are never moved. */
export const ENDED_STATUSES = ["succeeded", "cancelled", "failed"] as const satisfies readonly TaskStatus[];
export type EndedStatus = (typeof ENDED_STATUSES)[number];

/** Tasks that leave the live table by one rule. */
export interface ArchiveLane {
  readonly eventType: string;
  readonly status: EndedStatus;
  /** Ended at least so long ago, in milliseconds; 0: ended at all. */
  readonly endedForMs: number;
}

/** A task that was seen to be ripe; it is looked at again under its lock. */
export interface ArchiveCandidate {
  readonly id: string;
  readonly bizKey: string;
}

export interface ArchivablePage {
  readonly ripe: readonly ArchiveCandidate[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: TaskCursor | undefined;
}

/** Index entries that one look walks at most. */
export const ARCHIVE_PAGE_ROWS = 1_000;

/**
 * Chooses ended tasks of one lane, longest due first, without a lock: a walk along `idx_claim` within one type and status
 * that looks at no pending or running row, of at most `ARCHIVE_PAGE_ROWS` entries whether they are ripe or not. The
 * cursor keeps the walk off entries that were moved a moment ago and are not purged yet.
 */
export async function listArchivable(
  session: Session,
  lane: ArchiveLane,
  after?: TaskCursor,
  pageRows = ARCHIVE_PAGE_ROWS,
): Promise<ArchivablePage> {
  const before = laterBy(session, -lane.endedForMs);
  const start = after
    ? sql`AND next_retry_time >= ${after.dueTime} AND (next_retry_time > ${after.dueTime} OR id > ${idLiteral(after.id)})`
    : sql``;
  // No task ends before it was due: the bound on the due time keeps the walk off everything that ended later.
  const rows = await session.rows<{ id: string; biz_key: string; due: string; ripe: number }>(
    sql`SELECT CAST(id AS CHAR) AS id, biz_key, CAST(next_retry_time AS CHAR) AS due,
        COALESCE(finished_time, update_time) <= ${before} AS ripe FROM ${task} FORCE INDEX (idx_claim)
      WHERE event_type = ${lane.eventType} AND status = ${STATUS_CODE[lane.status]} AND next_retry_time <= ${before} ${start}
      ORDER BY ${task.nextRetryTime}, ${task.id} LIMIT ${sql.raw(String(Math.trunc(pageRows)))}`,
  );
  const last = rows.at(-1);
  return {
    ripe: rows.filter((row) => Number(row.ripe) === 1).map((row) => ({ id: row.id, bizKey: row.biz_key })),
    next: rows.length === Math.trunc(pageRows) && last ? { dueTime: last.due, id: last.id } : undefined,
  };
}

export interface LockedBatch {
  readonly rows: readonly (ArchiveCandidate & { readonly bytes: number })[];
  /** The database's now when they were locked: the instant that all their copies carry. */
  readonly at: Date;
}

/**
 * Locks those of at most 200 candidates that are still ripe, for the caller's short READ COMMITTED transaction; rows that
 * somebody holds are skipped. Goes through `uk_event_biz`, the way a duplicate enqueue comes: both lock the key first and
 * the row second, so they cannot deadlock. Answers in the order of the ids.
 */
export async function lockArchivable(
  session: Session,
  lane: ArchiveLane,
  candidates: readonly ArchiveCandidate[],
): Promise<LockedBatch> {
  if (candidates.length > BATCH_ROWS_MAX) throw new RangeError(`at most ${BATCH_ROWS_MAX} tasks are locked at once`);
  const keys = candidates.map(({ bizKey }) => sql`SELECT ${bizKey} AS biz_key`);
  // Joined with a list, not IN (list): see `idRows`.
  const rows = await session.rows<{ id: string; biz_key: string; bytes: string | number; at: string | Date }>(
    sql`SELECT CAST(ripe.id AS CHAR) AS id, ripe.biz_key, OCTET_LENGTH(ripe.biz_context) + COALESCE(OCTET_LENGTH(ripe.last_error), 0) AS bytes,
        ${session.now} AS at
      FROM (${sql.join(keys, sql` UNION ALL `)}) AS list STRAIGHT_JOIN ${task} AS ripe FORCE INDEX (uk_event_biz)
        ON ripe.biz_key = list.biz_key AND ripe.event_type = ${lane.eventType}
      WHERE ripe.status = ${STATUS_CODE[lane.status]} AND COALESCE(ripe.finished_time, ripe.update_time) <= ${laterBy(session, -lane.endedForMs)}
      FOR UPDATE SKIP LOCKED`,
  );
  const first = rows[0];
  return {
    rows: rows
      .map((row) => ({ id: row.id, bizKey: row.biz_key, bytes: Number(row.bytes) }))
      .sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1)),
    at: first ? session.zone.parseInstant(first.at) : new Date(0),
  };
}

/** Copies locked tasks to the archive, all columns as they are; the copies are stamped with the session's now. */
export async function copyTasks(session: Session, ids: readonly string[], columns: ArchiveColumns): Promise<number> {
  const names = sql.raw(columnList(columns.task));
  const { affectedRows } = await session.change(
    sql`INSERT INTO ${taskArchive} (id, archived_time, ${names})
      SELECT id, ${session.now}, ${names} FROM ${task} FORCE INDEX (PRIMARY) WHERE id IN (${idList(ids)})`,
  );
  return affectedRows;
}

/** The entries in the live history of these tasks, at most `limit`, through `idx_task`. */
export async function listAttemptIds(session: Session, taskIds: readonly string[], limit: number): Promise<string[]> {
  const rows = await session.rows<{ id: string }>(
    sql`SELECT CAST(id AS CHAR) AS id FROM ${attempt} FORCE INDEX (idx_task) WHERE task_id IN (${idList(taskIds)})
      LIMIT ${sql.raw(String(Math.trunc(limit)))}`,
  );
  return rows.map((row) => row.id);
}

/** Copies entries of the history to the archive, stamped with the session's now. */
export async function copyAttempts(session: Session, ids: readonly string[], columns: ArchiveColumns): Promise<number> {
  const names = sql.raw(columnList(columns.attempt));
  const { affectedRows } = await session.change(
    sql`INSERT INTO ${attemptArchive} (id, archived_time, ${names})
      SELECT id, ${session.now}, ${names} FROM ${attempt} FORCE INDEX (PRIMARY) WHERE id IN (${idList(ids)})`,
  );
  return affectedRows;
}

/** Removes entries of the live history by primary key. */
export async function removeAttempts(session: Session, ids: readonly string[]): Promise<number> {
  return removeByIds(session, sql`${attempt}`, ids);
}

/** Removes live tasks by primary key, in the transaction that locked and copied them. */
export async function removeTasks(session: Session, ids: readonly string[]): Promise<number> {
  return removeByIds(session, sql`${task}`, ids);
}

/** One look-up per id, at most 200 in a statement: meets no row but its own. */
async function removeByIds(session: Session, table: SQL, ids: readonly string[]): Promise<number> {
  let removed = 0;
  for (let start = 0; start < ids.length; start += BATCH_ROWS_MAX) {
    const { affectedRows } = await session.change(
      sql`DELETE gone FROM ${idRows(ids.slice(start, start + BATCH_ROWS_MAX))} AS list
        STRAIGHT_JOIN ${table} AS gone FORCE INDEX (PRIMARY) ON gone.id = list.id`,
    );
    removed += affectedRows;
  }
  return removed;
}

/** The kinds that may be entered for a task after it was moved. */
const LATE_KINDS = ["stale", "replayed"] as const;

/** Where a walk over late entries is. */
export interface LateCursor {
  readonly kind: (typeof LATE_KINDS)[number];
  readonly createTime: string;
  readonly id: string;
}

/**
 * Entries that were written for tasks which are no longer live (a late result that was refused, a replay), older than
 * `settledMs`: a page of the walk along `idx_kind_time`, at most `pageRows` entries whether they are late or not.
 */
export async function listLateAttempts(
  session: Session,
  params: { readonly settledMs: number; readonly after?: LateCursor | undefined; readonly pageRows?: number },
): Promise<{ readonly ids: readonly string[]; readonly next: LateCursor | undefined }> {
  const { after } = params;
  const pageRows = Math.trunc(params.pageRows ?? 500);
  const kind = after?.kind ?? LATE_KINDS[0];
  const start = after
    ? sql`AND a.create_time >= ${after.createTime} AND (a.create_time > ${after.createTime} OR a.id > ${idLiteral(after.id)})`
    : sql``;
  const rows = await session.rows<{ id: string; created: string; late: number }>(
    sql`SELECT CAST(a.id AS CHAR) AS id, CAST(a.create_time AS CHAR) AS created,
        NOT EXISTS (SELECT 1 FROM ${task} AS t WHERE t.id = a.task_id) AS late
      FROM ${attempt} AS a FORCE INDEX (idx_kind_time) WHERE a.kind = ${kind} AND a.create_time <= ${laterBy(session, -params.settledMs)} ${start}
      ORDER BY a.create_time, a.id LIMIT ${sql.raw(String(pageRows))}`,
  );
  const last = rows.at(-1);
  const nextKind = LATE_KINDS[LATE_KINDS.indexOf(kind) + 1];
  const next =
    rows.length === pageRows && last
      ? { kind, createTime: last.created, id: last.id }
      : nextKind && { kind: nextKind, createTime: session.zone.format(new Date(0)), id: "0" };
  return { ids: rows.filter((row) => Number(row.late) === 1).map((row) => row.id), next };
}

/** Live rows of one type whose status nobody knows, at most `limit`; they are reported and left alone. */
export async function countUnknownStatuses(session: Session, eventType: string, limit = 1_000): Promise<number> {
  const count = (condition: string) =>
    sql`(SELECT COUNT(*) FROM (SELECT 1 FROM ${task} FORCE INDEX (idx_claim) WHERE event_type = ${eventType} AND ${sql.raw(condition)}
      LIMIT ${sql.raw(String(Math.trunc(limit)))}) AS capped)`;
  const rows = await session.rows<{ below: string | number; above: string | number }>(
    sql`SELECT ${count(`status < ${STATUS_CODE.pending}`)} AS below, ${count(`status > ${STATUS_CODE.cancelled}`)} AS above`,
  );
  return Number(rows[0]?.below ?? 0) + Number(rows[0]?.above ?? 0);
}
