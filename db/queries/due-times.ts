import { sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import type { Session } from "../session.ts";

export interface DueTimes {
  /** The database's clock at this look. */
  readonly now: string;
  /** The earliest pending task: its due time, and in how many milliseconds that is (0 or less: overdue). */
  readonly next?: { readonly at: string; readonly inMs: number };
}

/**
 * When the earliest pending task of a type is due, of those due at `dueFrom` or later; no `next` if none is pending. One
 * index entry of `idx_claim`.
 */
export async function nextDue(session: Session, eventType: string, dueFrom?: string): Promise<DueTimes> {
  const rows = await session.rows<{ at: string; in_ms: string | number | null }>(
    sql`SELECT CAST(${session.now} AS CHAR) AS at, NULL AS in_ms UNION ALL
      (SELECT CAST(next_retry_time AS CHAR), CEIL(TIMESTAMPDIFF(MICROSECOND, ${session.now}, next_retry_time) / 1000)
      FROM ${task} FORCE INDEX (idx_claim) WHERE event_type = ${eventType} AND status = ${STATUS_CODE.pending}
      ${dueFrom === undefined ? sql`` : sql`AND next_retry_time >= ${dueFrom}`} ORDER BY next_retry_time, id LIMIT 1)`,
  );
  const now = rows.find((row) => row.in_ms === null)?.at ?? "";
  const next = rows.find((row) => row.in_ms !== null);
  return next ? { now, next: { at: next.at, inMs: Number(next.in_ms) } } : { now };
}
