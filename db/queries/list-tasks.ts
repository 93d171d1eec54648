import { sql, type SQL } from "drizzle-orm";
import { STATUS_CODE, statusFromCode, type TaskStatus } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";

/** A row of a list: no payload, the head of the error only. */
export interface TaskSummary {
  readonly id: string;
  readonly eventType: string;
  readonly bizKey: string;
  readonly status: TaskStatus | undefined;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
  readonly nextRetryAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly finishedAt: Date | undefined;
  readonly owner: string | undefined;
  readonly finishReason: string | undefined;
  readonly errorHead: string | undefined;
}

/** Where a page ended: the last row's due time and id. */
export interface TaskCursor {
  readonly dueTime: string;
  readonly id: string;
}

export interface TaskPage {
  readonly items: TaskSummary[];
  readonly nextCursor: TaskCursor | undefined;
}

/**
 * One page of the tasks of one type in one status, newest due first with the id as tiebreak, along `idx_claim`; rows
 * neither repeat nor vanish over pages. Limit 1 to 500.
 */
export async function listTasks(
  session: Session,
  params: {
    readonly eventType: string;
    readonly status: TaskStatus;
    readonly limit: number;
    readonly cursor?: TaskCursor | undefined;
  },
): Promise<TaskPage> {
  const { cursor } = params;
  const limit = Math.max(1, Math.min(500, Math.trunc(params.limit)));
  const before = cursor
    ? sql`AND (next_retry_time < ${cursor.dueTime} OR (next_retry_time = ${cursor.dueTime} AND id < ${idLiteral(cursor.id)}))`
    : sql``;
  const rows = await session.rows<SummaryRow>(
    sql`SELECT ${summaryColumns} FROM ${task} FORCE INDEX (idx_claim)
      WHERE event_type = ${params.eventType} AND status = ${STATUS_CODE[params.status]} ${before}
      ORDER BY ${task.nextRetryTime} DESC, ${task.id} DESC LIMIT ${sql.raw(String(limit + 1))}`,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((row) => summaryOf(session, row)),
    nextCursor: rows.length > limit && last ? { dueTime: last.next_retry_time, id: last.id } : undefined,
  };
}

/** The live tasks with exactly this biz key, any type, through `uk_event_biz`. */
export async function listTasksByBizKey(session: Session, bizKey: string): Promise<TaskSummary[]> {
  const rows = await session.rows<SummaryRow>(
    sql`SELECT ${summaryColumns} FROM ${task} FORCE INDEX (uk_event_biz) WHERE biz_key = ${bizKey} ORDER BY event_type LIMIT 500`,
  );
  return rows.map((row) => summaryOf(session, row));
}

const summaryColumns: SQL = sql.raw(
  "CAST(id AS CHAR) AS id, event_type, biz_key, status, retry_count, max_retry_count, recycle_count, next_retry_time, create_time, " +
    "update_time, finished_time, owner, finish_reason, LEFT(last_error, 200) AS error_head",
);

interface SummaryRow {
  readonly id: string;
  readonly event_type: string;
  readonly biz_key: string;
  readonly status: number;
  readonly retry_count: number;
  readonly max_retry_count: number;
  readonly recycle_count: number;
  readonly next_retry_time: string;
  readonly create_time: string;
  readonly update_time: string;
  readonly finished_time: string | null;
  readonly owner: string | null;
  readonly finish_reason: string | null;
  readonly error_head: string | null;
}

function summaryOf(session: Session, row: SummaryRow): TaskSummary {
  const { zone } = session;
  return {
    id: row.id,
    eventType: row.event_type,
    bizKey: row.biz_key,
    status: statusFromCode(row.status),
    retryCount: row.retry_count,
    maxRetryCount: row.max_retry_count,
    recycleCount: row.recycle_count,
    nextRetryAt: zone.parseInstant(row.next_retry_time),
    createdAt: zone.parseInstant(row.create_time),
    updatedAt: zone.parseInstant(row.update_time),
    finishedAt: row.finished_time === null ? undefined : zone.parseInstant(row.finished_time),
    owner: row.owner ?? undefined,
    finishReason: row.finish_reason ?? undefined,
    errorHead: row.error_head ?? undefined,
  };
}
