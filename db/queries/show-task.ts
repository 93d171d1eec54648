import { sql, type SQL } from "drizzle-orm";
import { attempt, type AttemptKind } from "../schema/attempt.ts";
import { statusFromCode, type TaskStatus } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";

export interface TaskDetail {
  readonly id: string;
  readonly eventType: string;
  readonly bizKey: string;
  /** The stored payload, untouched: it is never parsed on its way to a person. */
  readonly bizContext: string;
  readonly status: TaskStatus | undefined;
  readonly statusCode: number;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
  readonly retryStrategy: string;
  readonly firstRetryIntervalSeconds: number;
  readonly nextRetryAt: Date;
  /** Milliseconds until it is due by the database's clock; 0 or less: due. */
  readonly dueInMs: number;
  readonly claimNo: number;
  readonly owner: string | undefined;
  readonly ip: string | undefined;
  readonly finishReason: string | undefined;
  readonly lastError: string | undefined;
  readonly errorFingerprint: string | undefined;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly traceParent: string | undefined;
  readonly parentId: string | undefined;
  readonly origin: string | undefined;
}

/** A row as it comes, by column. */
export interface DetailRow {
  readonly [column: string]: string | number | null;
}

/** All that is stored of a task but its payload, and how long that is. */
export type TaskDescription = Omit<TaskDetail, "bizContext"> & { readonly payloadBytes: number };

/** The columns that `taskDetail` reads; `now` is what the due time is compared with. */
export const detailColumns = (session: Session): SQL => sql`biz_context, ${descriptionColumns(session)}`;

const descriptionColumns = (session: Session): SQL =>
  sql`CAST(id AS CHAR) AS id, event_type, biz_key, status, retry_count, max_retry_count, recycle_count, retry_strategy,
    first_retry_interval, next_retry_time, CEIL(TIMESTAMPDIFF(MICROSECOND, ${session.now}, next_retry_time) / 1000) AS due_in_ms, claim_no,
    owner, ip, finish_reason, last_error, error_fingerprint, started_time, finished_time, create_time, update_time, trace_parent,
    CAST(parent_id AS CHAR) AS parent_id, origin`;

/** One live task with everything that is stored of it, or undefined. */
export async function showTask(session: Session, id: string): Promise<TaskDetail | undefined> {
  const rows = await session.rows<DetailRow>(
    sql`SELECT ${detailColumns(session)} FROM ${task} WHERE id = ${idLiteral(id)}`,
  );
  const row = rows[0];
  return row && taskDetail(session, row);
}

/** One live task without its payload, which may be megabytes long, or undefined. */
export async function describeTask(session: Session, id: string): Promise<TaskDescription | undefined> {
  const rows = await session.rows<DetailRow>(
    sql`SELECT ${descriptionColumns(session)}, OCTET_LENGTH(biz_context) AS payload_bytes FROM ${task} WHERE id = ${idLiteral(id)}`,
  );
  const row = rows[0];
  return row && { ...taskDescription(session, row), payloadBytes: Number(row.payload_bytes) };
}

/** The payload of one live task with its type and length; no text if it is longer than `bytesMax`. */
export async function readTaskPayload(
  session: Session,
  id: string,
  bytesMax: number,
): Promise<{ readonly eventType: string; readonly bytes: number; readonly text: string | undefined } | undefined> {
  const [row] = await session.rows<{ event_type: string; bytes: number; text: string | null }>(
    sql`SELECT event_type, OCTET_LENGTH(biz_context) AS bytes,
      IF(OCTET_LENGTH(biz_context) <= ${sql.raw(String(Math.trunc(bytesMax)))}, biz_context, NULL) AS text
      FROM ${task} WHERE id = ${idLiteral(id)}`,
  );
  return row && { eventType: row.event_type, bytes: Number(row.bytes), text: row.text ?? undefined };
}

/** One row of `detailColumns`, from the live table or the archive. */
export function taskDetail(session: Session, row: DetailRow): TaskDetail {
  return { ...taskDescription(session, row), bizContext: String(row.biz_context) };
}

function taskDescription(session: Session, row: DetailRow): Omit<TaskDetail, "bizContext"> {
  const text = (column: string) => (row[column] === null ? undefined : String(row[column]));
  const instant = (column: string) => {
    const stored = text(column);
    return stored === undefined ? undefined : session.zone.parseInstant(stored);
  };
  const statusCode = Number(row.status);
  return {
    id: String(row.id),
    eventType: String(row.event_type),
    bizKey: String(row.biz_key),
    status: statusFromCode(statusCode),
    statusCode,
    retryCount: Number(row.retry_count),
    maxRetryCount: Number(row.max_retry_count),
    recycleCount: Number(row.recycle_count),
    retryStrategy: String(row.retry_strategy),
    firstRetryIntervalSeconds: Number(row.first_retry_interval),
    nextRetryAt: session.zone.parseInstant(String(row.next_retry_time)),
    dueInMs: Number(row.due_in_ms),
    claimNo: Number(row.claim_no),
    owner: text("owner"),
    ip: text("ip"),
    finishReason: text("finish_reason"),
    lastError: text("last_error"),
    errorFingerprint: text("error_fingerprint"),
    startedAt: instant("started_time"),
    finishedAt: instant("finished_time"),
    createdAt: session.zone.parseInstant(String(row.create_time)),
    updatedAt: session.zone.parseInstant(String(row.update_time)),
    traceParent: text("trace_parent"),
    parentId: text("parent_id"),
    origin: text("origin"),
  };
}

export interface AttemptEntry {
  readonly id: string;
  readonly kind: AttemptKind;
  readonly retryCount: number;
  readonly claimNo: number;
  readonly owner: string | undefined;
  readonly actor: string | undefined;
  readonly detail: string | undefined;
  readonly error: string | undefined;
  readonly durationMs: number | undefined;
  readonly nextRetryAt: Date | undefined;
  readonly at: Date;
}

/**
 * The newest entries of a task's history, or the newest before an entry, newest first, at most `limit` (default 200),
 * through `idx_task`.
 */
export async function listAttempts(
  session: Session,
  taskId: string,
  limit = 200,
  before?: string,
): Promise<AttemptEntry[]> {
  const older = before === undefined ? sql`` : sql`AND id < ${idLiteral(before)}`;
  const rows = await session.rows<DetailRow>(
    sql`SELECT ${entryColumns} FROM ${attempt} FORCE INDEX (idx_task) WHERE task_id = ${idLiteral(taskId)} ${older} ORDER BY ${attempt.id} DESC LIMIT ${sql.raw(String(Math.trunc(limit)))}`,
  );
  return rows.map((row) => attemptEntry(session, row));
}

/** Entries of a task's history that are looked at for its rounds. */
const ROUND_ENTRIES_MAX = 5_000;

/**
 * The entries that begin a round of attempts (a reset) or take that back (an undo), oldest first, among the newest 5,000
 * of the task, through `idx_task`.
 */
export async function listRoundMarks(
  session: Session,
  taskId: string,
): Promise<{ readonly id: string; readonly kind: "reset" | "undone" }[]> {
  return session.rows(
    sql`SELECT CAST(id AS CHAR) AS id, kind FROM (SELECT id, kind FROM ${attempt} FORCE INDEX (idx_task)
      WHERE task_id = ${idLiteral(taskId)} ORDER BY ${attempt.id} DESC LIMIT ${sql.raw(String(ROUND_ENTRIES_MAX))}) AS walked
      WHERE kind IN ('reset', 'undone') ORDER BY walked.id`,
  );
}

/** The columns that `attemptEntry` reads. */
export const entryColumns: SQL = sql.raw(
  "CAST(id AS CHAR) AS id, kind, retry_count, claim_no, owner, actor, detail, error, duration_ms, next_retry_time, create_time",
);

/** One row of `entryColumns`, from the live history or the archived one. */
export function attemptEntry(session: Session, row: DetailRow): AttemptEntry {
  const text = (column: string) => (row[column] === null ? undefined : String(row[column]));
  const next = text("next_retry_time");
  return {
    id: String(row.id),
    kind: String(row.kind) as AttemptKind,
    retryCount: Number(row.retry_count),
    claimNo: Number(row.claim_no),
    owner: text("owner"),
    actor: text("actor"),
    detail: text("detail"),
    error: text("error"),
    durationMs: row.duration_ms === null ? undefined : Number(row.duration_ms),
    nextRetryAt: next === undefined ? undefined : session.zone.parseInstant(next),
    at: session.zone.parseInstant(String(row.create_time)),
  };
}
