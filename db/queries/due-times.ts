import { sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import type { Session } from "../session.ts";

/**
 * Milliseconds until the earliest pending task of a type is due (0 or less: overdue), by the database's clock, and its
 * due time; undefined if none is pending. One index entry of `idx_claim`.
 */
export async function nextDue(
  session: Session,
  eventType: string,
  dueFrom?: string,
): Promise<{ inMs: number; at: string } | undefined> {
  const rows = await session.rows<{ at: string; in_ms: string | number }>(
    sql`SELECT CAST(next_retry_time AS CHAR) AS at, CEIL(TIMESTAMPDIFF(MICROSECOND, ${session.now}, next_retry_time) / 1000) AS in_ms
      FROM ${task} FORCE INDEX (idx_claim) WHERE event_type = ${eventType} AND status = ${STATUS_CODE.pending}
      ${dueFrom === undefined ? sql`` : sql`AND next_retry_time >= ${dueFrom}`} ORDER BY next_retry_time, id LIMIT 1`,
  );
  const row = rows[0];
  return row ? { inMs: Number(row.in_ms), at: row.at } : undefined;
}
