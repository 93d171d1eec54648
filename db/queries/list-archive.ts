import { sql, type SQL } from "drizzle-orm";
import { STATUS_CODE, statusFromCode, type TaskStatus } from "../schema/task-status.ts";
import { taskArchive } from "../schema/task-archive.ts";
import { idLiteral, type Session } from "../session.ts";
import { PAGE_COUNT_MAX } from "./count-tasks.ts";
import type { TaskKey } from "./find-task-id.ts";
import { laterBy } from "./insert-tasks.ts";

/** A row of a list of archived tasks: no payload, the head of the error only. */
export interface ArchivedSummary {
  readonly id: string;
  readonly archivedAt: Date;
  readonly eventType: string;
  readonly bizKey: string;
  readonly status: TaskStatus | undefined;
  readonly statusCode: number;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
  readonly finishReason: string | undefined;
  readonly errorFingerprint: string | undefined;
  readonly errorHead: string | undefined;
  readonly parentId: string | undefined;
}

/** Where a page ended: the last row that was looked at. */
export interface ArchiveCursor {
  readonly archivedTime: string;
  readonly id: string;
}

export interface ArchivePage {
  readonly items: ArchivedSummary[];
  /** Undefined on the last page. With a status a page may be short, even empty, and go on all the same. */
  readonly nextCursor: ArchiveCursor | undefined;
}

/** What is looked for: one type, or one cause (`error_fingerprint`). */
export type ArchiveFilter = {
  readonly status?: TaskStatus | undefined;
  /** Archived at or after; partitions before it are not looked at. */
  readonly from?: Date | undefined;
  /** Archived before. */
  readonly to?: Date | undefined;
} & ({ readonly eventType: string } | { readonly errorFingerprint: string });

/** Rows that a page with a status looks at, so that a rare one costs no more than a frequent one. */
const LOOKED_AT_MAX = 5_000;
const BY_KEY_MAX = 500;

/**
 * One page of archived tasks of one type or one cause, newest first with the id as tiebreak, along `idx_type_time` or
 * `idx_cause`; rows neither repeat nor vanish over pages. Limit 1 to 500.
 */
export async function listArchive(
  session: Session,
  params: ArchiveFilter & { readonly limit: number; readonly cursor?: ArchiveCursor | undefined },
): Promise<ArchivePage> {
  const { cursor, status, from, to } = params;
  const limit = Math.max(1, Math.min(500, Math.trunc(params.limit)));
  const [index, equals] = placeOf(params);
  const before = cursor
    ? sql`AND archived_time <= ${cursor.archivedTime} AND (archived_time < ${cursor.archivedTime} OR id < ${idLiteral(cursor.id)})`
    : sql``;
  const within = withinOf(session, from, to);
  const lookedAt = status === undefined ? limit + 1 : LOOKED_AT_MAX;
  const walk = sql`SELECT ${status === undefined ? summaryColumns : sql.raw("id, archived_time, status")} FROM ${taskArchive} FORCE INDEX (${index})
    WHERE ${equals} ${before} ${within} ORDER BY ${taskArchive.archivedTime} DESC, ${taskArchive.id} DESC LIMIT ${sql.raw(String(lookedAt))}`;
  if (status === undefined) {
    const rows = await session.rows<SummaryRow>(walk);
    return pageOf(session, rows, limit, rows.length > limit);
  }
  // First where they are, within a walk of bounded length; then the rows of this page alone.
  const walked = await session.rows<{ id: string; archived_time: string; status: number }>(
    sql`SELECT CAST(id AS CHAR) AS id, CAST(archived_time AS CHAR) AS archived_time, status FROM (${walk}) AS walked`,
  );
  const matches = walked.filter((row) => Number(row.status) === STATUS_CODE[status]);
  const rows = await readSummaries(session, matches.slice(0, limit));
  if (matches.length > limit) return pageOf(session, rows, limit, true);
  const last = walked.at(-1);
  return {
    items: rows.map((row) => summaryOf(session, row)),
    nextCursor: walked.length === lookedAt && last ? { archivedTime: last.archived_time, id: last.id } : undefined,
  };
}

/** The newest archived tasks with exactly this biz key, of any type or one, newest first, at most 500, through `idx_biz`. */
export async function listArchiveByBizKey(
  session: Session,
  bizKey: string,
  eventType?: string,
): Promise<ArchivedSummary[]> {
  const ofType = eventType === undefined ? sql`` : sql`AND event_type = ${eventType}`;
  const rows = await session.rows<SummaryRow>(
    sql`SELECT ${summaryColumns} FROM ${taskArchive} FORCE INDEX (idx_biz) WHERE biz_key = ${bizKey} ${ofType}
      ORDER BY ${taskArchive.bizKey} DESC, ${taskArchive.eventType} DESC, ${taskArchive.id} DESC LIMIT ${sql.raw(String(BY_KEY_MAX))}`,
  );
  const items = rows.map((row) => summaryOf(session, row));
  return items.sort(
    (one, other) =>
      other.archivedAt.getTime() - one.archivedAt.getTime() || (BigInt(one.id) < BigInt(other.id) ? 1 : -1),
  );
}

/** The archived tasks with this id, newest first: one, but for a server that handed the id out again. By primary key. */
export async function listArchiveById(session: Session, id: string): Promise<ArchivedSummary[]> {
  const rows = await session.rows<SummaryRow>(
    sql`SELECT ${summaryColumns} FROM ${taskArchive} FORCE INDEX (PRIMARY) WHERE id = ${idLiteral(id)} ORDER BY ${taskArchive.id} DESC, ${taskArchive.archivedTime} DESC LIMIT 100`,
  );
  return rows.map((row) => summaryOf(session, row));
}

/** How many archived tasks a filter finds, at most `limit`: as many index entries are looked at, and rows if it has a status. */
export async function countArchive(session: Session, filter: ArchiveFilter, limit = PAGE_COUNT_MAX): Promise<number> {
  const { status, from, to } = filter;
  const [index, equals] = placeOf(filter);
  const within = withinOf(session, from, to);
  const walk = sql`SELECT status FROM ${taskArchive} FORCE INDEX (${index}) WHERE ${equals} ${within} LIMIT ${sql.raw(String(Math.trunc(limit)))}`;
  const only = status === undefined ? sql`` : sql`WHERE status = ${STATUS_CODE[status]}`;
  const [row] = await session.rows<{ n: string | number }>(sql`SELECT COUNT(*) AS n FROM (${walk}) AS walked ${only}`);
  return Number(row?.n ?? 0);
}

export interface ArchivedKey extends TaskKey {
  readonly id: string;
  readonly status: TaskStatus | undefined;
}

/**
 * The newest task of each key that was archived within the last `windowMs`, through `idx_biz` and in the partitions of
 * those days only. A plain read: it takes no lock, and under REPEATABLE READ sees what the caller's transaction sees.
 */
export async function findArchivedKeys(
  session: Session,
  keys: readonly TaskKey[],
  windowMs: number,
): Promise<ArchivedKey[]> {
  if (keys.length === 0) return [];
  const pairs = keys.map((key) => sql`(${key.bizKey}, ${key.eventType})`);
  const rows = await session.rows<{ id: string; event_type: string; biz_key: string; status: number; at: string }>(
    sql`SELECT CAST(id AS CHAR) AS id, event_type, biz_key, status, CAST(archived_time AS CHAR) AS at FROM ${taskArchive} FORCE INDEX (idx_biz)
      WHERE (biz_key, event_type) IN (${sql.join(pairs, sql`, `)}) AND archived_time >= ${laterBy(session, -windowMs)}`,
  );
  const newest = new Map<string, (typeof rows)[number]>();
  for (const row of rows) {
    const key = `${row.event_type}\0${row.biz_key}`;
    const known = newest.get(key);
    if (!known || known.at < row.at) newest.set(key, row);
  }
  return [...newest.values()].map((row) => ({
    id: String(row.id),
    eventType: row.event_type,
    bizKey: row.biz_key,
    status: statusFromCode(Number(row.status)),
  }));
}

function placeOf(filter: ArchiveFilter): readonly [index: SQL, equals: SQL] {
  return "eventType" in filter
    ? [sql.raw("idx_type_time"), sql`event_type = ${filter.eventType}`]
    : [sql.raw("idx_cause"), sql`error_fingerprint = ${filter.errorFingerprint}`];
}

function withinOf({ zone }: Session, from: Date | undefined, to: Date | undefined): SQL {
  return sql`${from ? sql`AND archived_time >= ${zone.format(from)}` : sql``} ${to ? sql`AND archived_time < ${zone.format(to)}` : sql``}`;
}

const summaryColumns: SQL = sql.raw(
  "CAST(id AS CHAR) AS id, CAST(archived_time AS CHAR) AS archived_at, event_type, biz_key, status, retry_count, max_retry_count, " +
    "recycle_count, create_time, finished_time, finish_reason, error_fingerprint, LEFT(last_error, 200) AS error_head, CAST(parent_id AS CHAR) AS parent_id",
);

interface SummaryRow {
  readonly id: string;
  readonly archived_at: string;
  readonly event_type: string;
  readonly biz_key: string;
  readonly status: number;
  readonly retry_count: number;
  readonly max_retry_count: number;
  readonly recycle_count: number;
  readonly create_time: string;
  readonly finished_time: string | null;
  readonly finish_reason: string | null;
  readonly error_fingerprint: string | null;
  readonly error_head: string | null;
  readonly parent_id: string | null;
}

async function readSummaries(
  session: Session,
  places: readonly { readonly id: string; readonly archived_time: string }[],
): Promise<SummaryRow[]> {
  const [first] = places;
  const last = places.at(-1);
  if (!first || !last) return [];
  const pairs = places.map((place) => sql`(id = ${idLiteral(place.id)} AND archived_time = ${place.archived_time})`);
  const rows = await session.rows<SummaryRow>(
    sql`SELECT ${summaryColumns} FROM ${taskArchive} FORCE INDEX (PRIMARY) WHERE archived_time >= ${last.archived_time}
      AND archived_time <= ${first.archived_time} AND (${sql.join(pairs, sql` OR `)})`,
  );
  const byPlace = new Map(rows.map((row) => [`${row.id} ${row.archived_at}`, row]));
  return places.map((place) => byPlace.get(`${place.id} ${place.archived_time}`)).filter((row) => row !== undefined);
}

function pageOf(session: Session, rows: readonly SummaryRow[], limit: number, hasMore: boolean): ArchivePage {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((row) => summaryOf(session, row)),
    nextCursor: hasMore && last ? { archivedTime: last.archived_at, id: last.id } : undefined,
  };
}

function summaryOf({ zone }: Session, row: SummaryRow): ArchivedSummary {
  return {
    id: row.id,
    archivedAt: zone.parseInstant(row.archived_at),
    eventType: row.event_type,
    bizKey: row.biz_key,
    status: statusFromCode(Number(row.status)),
    statusCode: Number(row.status),
    retryCount: Number(row.retry_count),
    maxRetryCount: Number(row.max_retry_count),
    recycleCount: Number(row.recycle_count),
    createdAt: zone.parseInstant(row.create_time),
    finishedAt: row.finished_time === null ? undefined : zone.parseInstant(row.finished_time),
    finishReason: row.finish_reason ?? undefined,
    errorFingerprint: row.error_fingerprint ?? undefined,
    errorHead: row.error_head ?? undefined,
    parentId: row.parent_id ?? undefined,
  };
}
