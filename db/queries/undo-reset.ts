import { sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";
import { insertAttempts } from "./insert-attempts.ts";
import type { ResetTrace } from "./reset-task.ts";

export type UndoVerdict =
  | { readonly outcome: "done" }
  /** A worker has claimed it, or somebody changed it, since the reset. */
  | { readonly outcome: "too_late"; readonly status: number }
  | { readonly outcome: "not_found" };

/**
 * Takes a reset back, inside the caller's transaction: failed for good again, with the counts and times it had. Only
 * while the row is exactly as that reset left it: pending, the same claim number, its last change that reset.
 */
export async function undoReset(
  session: Session,
  params: { readonly id: string; readonly actor: string; readonly trace: ResetTrace },
): Promise<UndoVerdict> {
  const { id, actor, trace } = params;
  const { zone } = session;
  const instant = (at: Date | undefined) => (at === undefined ? null : zone.format(at));
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} SET status = ${STATUS_CODE.failed}, owner = ${trace.owner ?? null}, ip = ${trace.ip ?? null},
      retry_count = ${trace.retryCount}, recycle_count = ${trace.recycleCount}, finish_reason = ${trace.finishReason ?? null},
      next_retry_time = ${zone.format(trace.nextRetryAt)}, started_time = ${instant(trace.startedAt)},
      finished_time = ${instant(trace.finishedAt)}, update_time = ${session.now}
      WHERE id = ${idLiteral(id)} AND status = ${STATUS_CODE.pending} AND claim_no = ${trace.claimNo}
      AND update_time = ${zone.format(trace.resetAt)} AND ${trace.status} = ${STATUS_CODE.failed}`,
  );
  const [row] = await session.rows<{ event_type: string; status: number }>(
    sql`SELECT event_type, status FROM ${task} WHERE id = ${idLiteral(id)}`,
  );
  if (!row) return { outcome: "not_found" };
  if (affectedRows === 0) return { outcome: "too_late", status: row.status };
  const { retryCount, claimNo } = trace;
  await insertAttempts(session, [
    { taskId: id, eventType: row.event_type, kind: "undone", retryCount, claimNo, actor },
  ]);
  return { outcome: "done" };
}
