import { type SQL, sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { idList, type Session } from "../session.ts";
import { tableOf, withinDay } from "./read-archive.ts";

/** Tasks of the archive that go by one rule: all of a type, or only those that failed for good, or only the others. */
export interface PurgeLane {
  readonly day: string;
  readonly eventType: string;
  readonly which: "all" | "failed" | "ended";
}

/** Rows of one batch; the caller commits each. */
export const PURGE_BATCH_ROWS = 500;

/**
 * Deletes the next batch of a lane, with the history of those tasks that was archived on the same day, in the caller's
 * transaction; answers the tasks and all rows that went. Walks `idx_type_time` within one type and day, deletes by primary key.
 */
export async function purgeBatch(
  session: Session,
  lane: PurgeLane,
  limit = PURGE_BATCH_ROWS,
): Promise<{ readonly tasks: number; readonly rows: number }> {
  const found = await session.rows<{ id: string; at: string }>(
    sql`SELECT CAST(id AS CHAR) AS id, CAST(archived_time AS CHAR) AS at FROM ${tableOf("tasks")} FORCE INDEX (idx_type_time)
      WHERE ${laneRows(session, lane)} ORDER BY ${tableOf("tasks")}.archived_time, ${tableOf("tasks")}.id LIMIT ${sql.raw(String(Math.trunc(limit)))}`,
  );
  if (found.length === 0) return { tasks: 0, rows: 0 };
  const ids = idList(found.map(({ id }) => id));
  const attempts = await session.change(
    sql`DELETE FROM ${tableOf("attempts")} WHERE task_id IN (${ids}) AND ${withinDay(session, lane.day)}`,
  );
  const tasks = await session.change(
    sql`DELETE FROM ${tableOf("tasks")} WHERE id IN (${ids}) AND event_type = ${lane.eventType} AND ${withinDay(session, lane.day)} ${statusOf(lane)}`,
  );
  return { tasks: tasks.affectedRows, rows: tasks.affectedRows + attempts.affectedRows };
}

/** How many tasks a lane holds, for a dry run and a progress bar. */
export async function countLane(session: Session, lane: PurgeLane): Promise<number> {
  const [row] = await session.rows<{ n: string | number }>(
    sql`SELECT COUNT(*) AS n FROM ${tableOf("tasks")} FORCE INDEX (idx_type_time) WHERE ${laneRows(session, lane)}`,
  );
  return Number(row?.n ?? 0);
}

const laneRows = (session: Session, lane: PurgeLane): SQL =>
  sql`event_type = ${lane.eventType} AND ${withinDay(session, lane.day)} ${statusOf(lane)}`;

function statusOf({ which }: PurgeLane): SQL {
  switch (which) {
    case "all":
      return sql``;
    case "failed":
      return sql`AND status = ${STATUS_CODE.failed}`;
    case "ended":
      return sql`AND status <> ${STATUS_CODE.failed}`;
  }
}
