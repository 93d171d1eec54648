import { sql } from "drizzle-orm";
import { isDuplicateKey } from "../mysql-errors.ts";
import { exported } from "../schema/export.ts";
import { metric } from "../schema/metric.ts";
import type { Session } from "../session.ts";
import { laterBy } from "./insert-tasks.ts";

/**
 * Adds tasks that were moved to the archive to the present minute of their type, in the transaction that moved them: what
 * was rolled back is not counted, what was committed is. Each process counts under a source of its own.
 */
export async function addArchivedCount(
  session: Session,
  params: { readonly eventType: string; readonly source: string; readonly count: number },
): Promise<void> {
  const { eventType, source } = params;
  const count = sql.raw(String(Math.trunc(params.count)));
  const minute = sql`CAST(DATE_FORMAT(${session.now}, '%Y-%m-%d %H:%i:00') AS DATETIME(3))`;
  const add = () =>
    session.change(
      sql`UPDATE ${metric} SET archived_count = archived_count + ${count}
        WHERE minute = ${minute} AND event_type = ${eventType} AND source = ${source}`,
    );
  if ((await add()).affectedRows > 0) return;
  try {
    await session.change(
      sql`INSERT INTO ${metric} (minute, event_type, source, archived_count) VALUES (${minute}, ${eventType}, ${source}, ${count})`,
    );
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await add();
  }
}

export interface ArchivedCount {
  readonly eventType: string;
  /** The UTC day, as 2026-11-29. */
  readonly day: string;
  readonly count: number;
}

/**
 * How many tasks of each type were moved to the archive per UTC day since `days` days ago, from the per-minute metrics:
 * reads those of all those days by primary key, so the caller keeps the answer for a while.
 */
export async function countArchivedByDay(session: Session, days: number): Promise<ArchivedCount[]> {
  const offset = sql.raw(String(-session.zone.offsetMinutes));
  const rows = await session.rows<{ event_type: string; day: string; n: string | number }>(
    sql`SELECT event_type, DATE_FORMAT(TIMESTAMPADD(MINUTE, ${offset}, minute), '%Y-%m-%d') AS day, SUM(archived_count) AS n
      FROM ${metric} FORCE INDEX (PRIMARY) WHERE minute >= ${laterBy(session, -days * 86_400_000)} AND archived_count > 0
      GROUP BY event_type, day`,
  );
  return rows
    .map((row) => ({ eventType: row.event_type, day: row.day, count: Number(row.n) }))
    .sort((one, other) => (one.day + one.eventType < other.day + other.eventType ? -1 : 1));
}

export interface PurgedDays {
  /** The newest UTC day of which nothing is left. */
  readonly newestPurged: string | undefined;
  /** Days that have begun to lose rows and are not empty yet: those with types that are kept for longer. */
  readonly partly: readonly string[];
}

/** What the export records say of purged days: a table of a few rows per day. */
export async function readPurgedDays(session: Session): Promise<PurgedDays> {
  const rows = await session.rows<{ day: string; is_purged: number }>(
    sql`SELECT day, MAX(purged_time IS NOT NULL) AS is_purged FROM ${exported} WHERE purge_began_time IS NOT NULL GROUP BY day`,
  );
  const days = (isPurged: boolean) =>
    rows
      .filter((row) => (Number(row.is_purged) === 1) === isPurged)
      .map(({ day }) => day)
      .sort();
  return { newestPurged: days(true).at(-1), partly: days(false) };
}
