import { type SQL, sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idList, type Session } from "../session.ts";

/** A task that may be started anew: failed for good, or a foreign row (no owner) stuck in running at its limit. */
export const isResettable: SQL = sql`(status = ${STATUS_CODE.failed}
  OR (status = ${STATUS_CODE.running} AND owner IS NULL AND max_retry_count <= retry_count))`;

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
    sql`UPDATE ${task} FORCE INDEX (PRIMARY) SET ${resetColumns(session, due)} WHERE id IN (${idList(params.ids)}) AND ${isResettable}`,
  );
  return affectedRows;
}
