import { sql } from "drizzle-orm";
import { statusFromCode, type TaskStatus } from "../schema/task-status.ts";
import { taskArchive } from "../schema/task-archive.ts";
import { idLiteral, type Session } from "../session.ts";
import { archivedSummary, type ArchivedSummary, summaryColumns, type SummaryRow } from "./archived-summary.ts";
import type { TaskKey } from "./find-task-id.ts";
import { laterBy } from "./insert-tasks.ts";

const BY_KEY_MAX = 500;

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
  const items = rows.map((row) => archivedSummary(session, row));
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
  return rows.map((row) => archivedSummary(session, row));
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
