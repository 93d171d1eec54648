import { sql, type SQL } from "drizzle-orm";
import { statusFromCode, type TaskStatus } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idRows, type Session } from "../session.ts";
import { filterCondition, isStuck, type TaskFilter } from "./task-filter.ts";

/** What of a task changes while it lives, as a list shows it: no payload, the head of the error only. */
export interface TaskProgress {
  readonly id: string;
  readonly eventType: string;
  /** undefined: a number nobody knows. */
  readonly status: TaskStatus | undefined;
  /** Running, but its owner no longer works on it. */
  readonly isStuck: boolean;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
  readonly nextRetryAt: Date;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  readonly updatedAt: Date;
  readonly owner: string | undefined;
  readonly finishReason: string | undefined;
  readonly errorHead: string | undefined;
  /** The fingerprint of the last error. */
  readonly cause: string | undefined;
}

/** A row of a list. */
export interface TaskListRow extends TaskProgress {
  readonly bizKey: string;
  readonly retryStrategy: string;
  readonly firstIntervalSeconds: number;
  readonly createdAt: Date;
  readonly traceParent: string | undefined;
  readonly origin: string | undefined;
}

/** Ids that one statement looks up. */
export const ROWS_PER_READ = 200;
/** Payloads that one statement reads. */
export const PAYLOADS_PER_READ = 20;

const PROGRESS_COLUMNS =
  "CAST(t.id AS CHAR) AS id, t.event_type, t.status, t.retry_count, t.max_retry_count, t.recycle_count, t.next_retry_time, " +
  "t.started_time, t.finished_time, t.update_time, t.owner, t.finish_reason, LEFT(t.last_error, 300) AS error_head, t.error_fingerprint";
const ROW_COLUMNS = `${PROGRESS_COLUMNS}, t.biz_key, t.retry_strategy, t.first_retry_interval, t.create_time, t.trace_parent, t.origin`;

/**
 * Those of these tasks that a filter still holds for, by id, each looked up by primary key. With `payload` only those
 * whose payload is not too large and holds the text, compared byte by byte after everything else.
 */
export async function readListRows(
  session: Session,
  ids: readonly string[],
  filter: TaskFilter,
  payload?: { readonly text: string; readonly bytesMax: number },
): Promise<Map<string, TaskListRow>> {
  const rows = new Map<string, TaskListRow>();
  const matches = filterCondition(session, filter);
  const condition = payload
    ? sql`${matches} AND OCTET_LENGTH(t.biz_context) <= ${payload.bytesMax} AND LOCATE(${payload.text}, t.biz_context) > 0`
    : matches;
  for (let start = 0; start < ids.length; start += ROWS_PER_READ) {
    const part = ids.slice(start, start + ROWS_PER_READ);
    for (const row of await readRows(session, sql.raw(ROW_COLUMNS), part, condition)) {
      rows.set(row.id, {
        ...progressOf(session, row),
        bizKey: String(row.biz_key),
        retryStrategy: String(row.retry_strategy),
        firstIntervalSeconds: Number(row.first_retry_interval),
        createdAt: session.zone.parseInstant(String(row.create_time)),
        traceParent: text(row.trace_parent),
        origin: text(row.origin),
      });
    }
  }
  return rows;
}

/** The payloads of these tasks, at most 20, that are not too large, each by primary key. */
export async function readPayloads(
  session: Session,
  ids: readonly string[],
  bytesMax: number,
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await session.rows<{ id: string; biz_context: string }>(
    sql`SELECT CAST(t.id AS CHAR) AS id, t.biz_context FROM ${idRows(ids.slice(0, PAYLOADS_PER_READ))} AS list
      STRAIGHT_JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id WHERE OCTET_LENGTH(t.biz_context) <= ${bytesMax}`,
  );
  return new Map(rows.map((row) => [String(row.id), row.biz_context]));
}

/** How these tasks stand now, at most 200; those that have left the table are missing. */
export async function readProgress(session: Session, ids: readonly string[]): Promise<TaskProgress[]> {
  if (ids.length === 0) return [];
  const rows = await readRows(session, sql.raw(PROGRESS_COLUMNS), ids.slice(0, ROWS_PER_READ), sql`TRUE`);
  return rows.map((row) => progressOf(session, row));
}

interface StoredRow {
  readonly id: string;
  readonly [column: string]: string | number | null;
}

async function readRows(session: Session, columns: SQL, ids: readonly string[], condition: SQL): Promise<StoredRow[]> {
  return session.rows<StoredRow>(
    sql`SELECT ${columns}, ${isStuck(session)} AS is_stuck
      FROM ${idRows(ids)} AS list STRAIGHT_JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id WHERE ${condition}`,
  );
}

function progressOf(session: Session, row: StoredRow): TaskProgress {
  const instant = (stored: string | number | null | undefined) => {
    const value = text(stored);
    return value === undefined ? undefined : session.zone.parseInstant(value);
  };
  return {
    id: row.id,
    eventType: String(row.event_type),
    status: statusFromCode(Number(row.status)),
    isStuck: Number(row.is_stuck) === 1,
    retryCount: Number(row.retry_count),
    maxRetryCount: Number(row.max_retry_count),
    recycleCount: Number(row.recycle_count),
    nextRetryAt: session.zone.parseInstant(String(row.next_retry_time)),
    startedAt: instant(row.started_time),
    finishedAt: instant(row.finished_time),
    updatedAt: session.zone.parseInstant(String(row.update_time)),
    owner: text(row.owner),
    finishReason: text(row.finish_reason),
    errorHead: text(row.error_head),
    cause: text(row.error_fingerprint),
  };
}

function text(stored: string | number | null | undefined): string | undefined {
  return stored === null || stored === undefined ? undefined : String(stored);
}
