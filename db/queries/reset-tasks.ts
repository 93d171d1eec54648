import { type SQL, sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idList, type Session } from "../session.ts";
import { isStuck } from "./task-filter.ts";

/**
 * A row `t` that may be started anew: failed for good, stuck as the list shows it, or a foreign row (no owner) in running
 * with no attempt left. A worker that was only slow is refused by its claim number, as after a recycle.
 */
export function isResettable(session: Session): SQL {
  return sql`(t.status = ${STATUS_CODE.failed} OR ${isStuck(session)}
    OR (t.status = ${STATUS_CODE.running} AND t.owner IS NULL AND t.max_retry_count <= t.retry_count))`;
}

/** What a person's new start writes, of one task or of many: pending, count 0, due at an instant. */
export function resetColumns(session: Session, due: SQL): SQL {
  return sql`status = ${STATUS_CODE.pending}, owner = NULL, ip = NULL, next_retry_time = ${due}, retry_count = 0, recycle_count = 0,
    finish_reason = NULL, started_time = NULL, finished_time = NULL, update_time = ${session.now}`;
}

/**
 * A new start of at most 200 tasks, by primary key, inside the caller's transaction: due now, or spread by id over
 * `jitterMs` from now. Changes only what is resettable; answers the number of rows changed. The caller writes the history.
 */
export async function resetTasks(
  session: Session,
  params: { readonly ids: readonly string[]; readonly jitterMs?: number },
): Promise<number> {
  if (params.ids.length === 0) return 0;
  const jitter = Math.max(0, Math.trunc(params.jitterMs ?? 0));
  const due =
    jitter === 0
      ? session.now
      : sql`TIMESTAMPADD(MICROSECOND, (CRC32(id) MOD ${sql.raw(String(jitter + 1))}) * 1000, ${session.now})`;
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} AS t FORCE INDEX (PRIMARY) SET ${resetColumns(session, due)} WHERE t.id IN (${idList(params.ids)}) AND ${isResettable(session)}`,
  );
  return affectedRows;
}
