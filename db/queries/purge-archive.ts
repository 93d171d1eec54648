import { type SQL, sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { idRows, type Session } from "../session.ts";
import { BATCH_ROWS_MAX } from "./claim-tasks.ts";
import { type ArchiveSource, tableOf, withinDay } from "./read-archive.ts";

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
 * transaction; answers the tasks and all rows that went. Walks `idx_type_time` within one type and day, deletes with one
 * look-up per task: an `IN` list that is a large share of a day makes MariaDB scan the day.
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
  let [tasks, attempts] = [0, 0];
  for (let start = 0; start < found.length; start += BATCH_ROWS_MAX) {
    const ids = idRows(found.slice(start, start + BATCH_ROWS_MAX).map(({ id }) => id));
    const remove = async (source: ArchiveSource, key: SQL, where: SQL) => {
      const { affectedRows } = await session.change(
        sql`DELETE gone FROM ${ids} AS list STRAIGHT_JOIN ${tableOf(source)} AS gone ${key} = list.id WHERE ${where}`,
      );
      return affectedRows;
    };
    const history = sql`FORCE INDEX (idx_task) ON gone.task_id`;
    attempts += await remove("attempts", history, withinDay(session, lane.day));
    tasks += await remove("tasks", sql`FORCE INDEX (PRIMARY) ON gone.id`, laneRows(session, lane));
  }
  return { tasks, rows: tasks + attempts };
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
