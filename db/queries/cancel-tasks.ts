import { type SQL, sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idList, type Session } from "../session.ts";

/** A task that a person may end: pending, or failed for good; never a running one. */
export const isCancellable: SQL = sql`status IN (${STATUS_CODE.pending}, ${STATUS_CODE.failed})`;

/** What a person's end writes, of one task or of many. */
export function cancelColumns(session: Session): SQL {
  return sql`status = ${STATUS_CODE.cancelled}, finish_reason = 'cancelled', finished_time = ${session.now},
    next_retry_time = LEAST(next_retry_time, ${session.now}), update_time = ${session.now}`;
}

/** Ends at most 200 tasks that may be ended, by primary key; answers the number of rows changed. The caller writes the history. */
export async function cancelTasks(session: Session, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} FORCE INDEX (PRIMARY) SET ${cancelColumns(session)} WHERE id IN (${idList(ids)}) AND ${isCancellable}`,
  );
  return affectedRows;
}
