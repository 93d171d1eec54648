import { sql, type SQL } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idList, idLiteral, type Session } from "../session.ts";
import { readDatabaseNow } from "./database-now.ts";
import { knownEventTypes } from "./known-event-types.ts";
import type { TaskCursor } from "./list-tasks.ts";

/** A task that failed for good, as a list shows it: no payload, the head of the error only. */
export interface FailedTask {
  readonly id: string;
  readonly eventType: string;
  readonly bizKey: string;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
  readonly finishReason: string | undefined;
  readonly errorHead: string | undefined;
  readonly failedAt: Date;
}

export interface FailedTaskPage {
  /** The database's clock. */
  readonly asOf: Date;
  readonly items: FailedTask[];
  readonly nextCursor: TaskCursor | undefined;
}

/** Types whose positions one statement merges; more are merged in further statements. */
const TYPES_PER_STATEMENT = 64;

/**
 * One page of the failed tasks of one type or of all, newest failure first (`failTask` writes its time into the due
 * time) with the id as tiebreak; rows neither repeat nor vanish over pages. Per type it reads at most `limit` + 1 entries
 * of `idx_claim` (the index alone, no rows), merges them, and fetches only the rows of the page by primary key: bounded
 * work, whatever the number of failed tasks.
 */
export async function listFailedTasks(
  session: Session,
  params: {
    /** Left out: all types. */
    readonly eventTypes?: readonly string[] | undefined;
    readonly limit: number;
    readonly cursor?: TaskCursor | undefined;
  },
): Promise<FailedTaskPage> {
  const limit = Math.max(1, Math.min(500, Math.trunc(params.limit)));
  const eventTypes = params.eventTypes ?? (await knownEventTypes(session));
  const positions = await readPositions(session, { eventTypes, limit: limit + 1, cursor: params.cursor });
  const page = positions.slice(0, limit);
  return {
    asOf: await readDatabaseNow(session),
    items: await readRows(session, page),
    nextCursor: positions.length > limit ? page.at(-1) : undefined,
  };
}

async function readPositions(
  session: Session,
  params: { readonly eventTypes: readonly string[]; readonly limit: number; readonly cursor: TaskCursor | undefined },
): Promise<TaskCursor[]> {
  const { eventTypes, cursor } = params;
  const limit = sql.raw(String(params.limit));
  const before = cursor
    ? sql`AND (next_retry_time < ${cursor.dueTime} OR (next_retry_time = ${cursor.dueTime} AND id < ${idLiteral(cursor.id)}))`
    : sql``;
  const ofType = (eventType: string): SQL =>
    sql`(SELECT id, next_retry_time FROM ${task} FORCE INDEX (idx_claim) WHERE event_type = ${eventType} AND status = ${STATUS_CODE.failed}
      ${before} ORDER BY next_retry_time DESC, id DESC LIMIT ${limit})`;
  const found: TaskCursor[] = [];
  for (let start = 0; start < eventTypes.length; start += TYPES_PER_STATEMENT) {
    const branches = eventTypes.slice(start, start + TYPES_PER_STATEMENT).map(ofType);
    found.push(
      ...(await session.rows<{ id: string; dueTime: string }>(
        sql`SELECT CAST(id AS CHAR) AS id, next_retry_time AS dueTime FROM (${sql.join(branches, sql` UNION ALL `)}) AS merged
          ORDER BY merged.next_retry_time DESC, merged.id DESC LIMIT ${limit}`,
      )),
    );
  }
  return found.sort(newestFirst).slice(0, params.limit);
}

function newestFirst(a: TaskCursor, b: TaskCursor): number {
  if (a.dueTime !== b.dueTime) return a.dueTime < b.dueTime ? 1 : -1;
  return BigInt(a.id) < BigInt(b.id) ? 1 : -1;
}

/** The rows at these positions, in their order; one that has left the status since is left out. */
async function readRows(session: Session, positions: readonly TaskCursor[]): Promise<FailedTask[]> {
  if (positions.length === 0) return [];
  const rows = await session.rows<FailedRow>(
    sql`SELECT CAST(id AS CHAR) AS id, event_type, biz_key, retry_count, max_retry_count, recycle_count, finish_reason,
      LEFT(last_error, 300) AS error_head, COALESCE(finished_time, update_time) AS failed_time FROM ${task}
      WHERE id IN (${idList(positions.map(({ id }) => id))}) AND status = ${STATUS_CODE.failed}`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return positions.flatMap(({ id }) => {
    const row = byId.get(id);
    return row ? [failedTaskOf(session, row)] : [];
  });
}

interface FailedRow {
  readonly id: string;
  readonly event_type: string;
  readonly biz_key: string;
  readonly retry_count: number;
  readonly max_retry_count: number;
  readonly recycle_count: number;
  readonly finish_reason: string | null;
  readonly error_head: string | null;
  readonly failed_time: string;
}

function failedTaskOf(session: Session, row: FailedRow): FailedTask {
  return {
    id: row.id,
    eventType: row.event_type,
    bizKey: row.biz_key,
    retryCount: row.retry_count,
    maxRetryCount: row.max_retry_count,
    recycleCount: row.recycle_count,
    finishReason: row.finish_reason ?? undefined,
    errorHead: row.error_head ?? undefined,
    failedAt: session.zone.parseInstant(row.failed_time),
  };
}
