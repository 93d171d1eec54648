import { sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { worker } from "../schema/worker.ts";
import { idList, type Session } from "../session.ts";
import { BATCH_ROWS_MAX } from "./claim-tasks.ts";
import { insertAttempts } from "./insert-attempts.ts";
import { laterBy } from "./insert-tasks.ts";

/** A running row whose owner is dead, or unknown and silent for too long. */
export interface AbandonedTask {
  readonly id: string;
  readonly eventType: string;
  readonly claimNo: number;
  readonly owner: string | null;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
  /** When the row was last written: tells two grabs of foreign code apart, which raises no claim number. */
  readonly updateTime: string;
}

/**
 * Lists running rows of one type that nobody works on any more: the owner has not renewed its liveness in time, has
 * stopped, or is not in the registry and the row is untouched for `foreignAfterMs`. A plain read that locks nothing.
 */
export async function listAbandonedTasks(
  session: Session,
  params: { readonly eventType: string; readonly self: string; readonly foreignAfterMs: number },
): Promise<AbandonedTask[]> {
  const { now } = session;
  const rows = await session.rows<AbandonedRow>(
    sql`SELECT CAST(t.id AS CHAR) AS id, t.event_type, t.claim_no, t.owner, t.retry_count, t.max_retry_count, t.recycle_count,
      t.update_time
      FROM ${task} t FORCE INDEX (idx_claim) LEFT JOIN ${worker} w FORCE INDEX (PRIMARY) ON w.owner = t.owner
      WHERE t.event_type = ${params.eventType} AND t.status = ${STATUS_CODE.running} AND (t.owner IS NULL OR t.owner <> ${params.self})
      AND CASE WHEN w.owner IS NULL THEN t.update_time < ${laterBy(session, -params.foreignAfterMs)}
        ELSE w.state = 'stopped' OR w.beat_time < TIMESTAMPADD(MICROSECOND, w.dead_after_ms * -1000, ${now}) END
      ORDER BY t.next_retry_time, t.id LIMIT ${sql.raw(String(BATCH_ROWS_MAX))}`,
  );
  return rows.map((row) => ({
    id: row.id,
    eventType: row.event_type,
    claimNo: row.claim_no,
    owner: row.owner,
    retryCount: row.retry_count,
    maxRetryCount: row.max_retry_count,
    recycleCount: row.recycle_count,
    updateTime: String(row.update_time),
  }));
}

interface AbandonedRow {
  readonly id: string;
  readonly event_type: string;
  readonly claim_no: number;
  readonly owner: string | null;
  readonly retry_count: number;
  readonly max_retry_count: number;
  readonly recycle_count: number;
  readonly update_time: string;
}

export interface RecycledTask extends AbandonedTask {
  /** True: pending again. False: failed for good, because it was abandoned too often or had no attempt left. */
  readonly runsAgain: boolean;
}

/**
 * Takes abandoned rows back inside the caller's transaction, each with its history entry: pending again with the due
 * time as it was, or failed for good (and due time the time of that, as in `failTask`) at `maxRecycles` abandonments or
 * with no attempt left. A row whose claim has
 * changed hands, or that its owner is writing at this moment, is left alone.
 */
export async function recycleTasks(
  session: Session,
  abandoned: readonly AbandonedTask[],
  params: { readonly maxRecycles: number; readonly by: string },
): Promise<RecycledTask[]> {
  if (abandoned.length === 0) return [];
  const { now } = session;
  const held = await session.rows<{ id: string; claim_no: number; owner: string | null; update_time: string }>(
    sql`SELECT CAST(id AS CHAR) AS id, claim_no, owner, update_time FROM ${task} FORCE INDEX (PRIMARY)
      WHERE id IN (${idList(abandoned.map((one) => one.id))}) AND status = ${STATUS_CODE.running} ORDER BY ${task.id} FOR UPDATE SKIP LOCKED`,
  );
  const heldById = new Map(held.map((row) => [row.id, row]));
  const recycled = abandoned
    .filter((one) => {
      const row = heldById.get(one.id);
      if (row === undefined || String(row.update_time) !== one.updateTime) return false;
      return row.claim_no === one.claimNo && row.owner === one.owner;
    })
    .map((one) => ({
      ...one,
      runsAgain: one.recycleCount + 1 < params.maxRecycles && one.retryCount < one.maxRetryCount,
    }));
  const again = recycled.filter((one) => one.runsAgain);
  const ended = recycled.filter((one) => !one.runsAgain);
  if (again.length > 0) {
    await session.change(
      sql`UPDATE ${task} FORCE INDEX (PRIMARY) SET status = ${STATUS_CODE.pending}, owner = NULL, ip = NULL,
        recycle_count = recycle_count + 1, update_time = ${now} WHERE id IN (${idList(again.map((one) => one.id))})`,
    );
  }
  if (ended.length > 0) {
    await session.change(
      sql`UPDATE ${task} FORCE INDEX (PRIMARY) SET status = ${STATUS_CODE.failed},
        finish_reason = 'abandoned', next_retry_time = ${now}, finished_time = ${now}, update_time = ${now}, error_fingerprint = 'abandoned',
        last_error = CONCAT('abandoned while running ', recycle_count + 1, ' times: its worker died or was cut off each time'),
        recycle_count = recycle_count + 1
        WHERE id IN (${idList(ended.map((one) => one.id))})`,
    );
  }
  await insertAttempts(
    session,
    recycled.map((one) => ({
      taskId: one.id,
      eventType: one.eventType,
      kind: "recycled",
      retryCount: one.retryCount,
      claimNo: one.claimNo,
      owner: one.owner ?? undefined,
      detail: `recycled by ${params.by}; abandonment ${one.recycleCount + 1} of ${params.maxRecycles}${one.runsAgain ? "" : ", failed for good"}`,
    })),
  );
  return recycled;
}
