import { sql } from "drizzle-orm";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";
import { insertAttempts } from "./insert-attempts.ts";
import { isResettable, resetColumns } from "./reset-tasks.ts";

/** What a reset found: `done`, or why nothing was changed and the status it saw. */
export type ResetVerdict =
  | { readonly outcome: "done" }
  | { readonly outcome: "not_failed"; readonly status: number }
  | { readonly outcome: "not_found" };

/**
 * A person's new start of a failed task, inside the caller's transaction: pending, count 0, due now; the poller runs it.
 * Changes only a task that failed for good, or a foreign row (no owner) stuck in running at its limit. Two presses are
 * one reset: the second finds the task pending.
 */
export async function resetTask(
  session: Session,
  params: { readonly id: string; readonly actor: string; readonly reason?: string | undefined },
): Promise<ResetVerdict> {
  const rows = await session.rows<{ event_type: string; status: number; retry_count: number; claim_no: number }>(
    sql`SELECT event_type, status, retry_count, claim_no FROM ${task} WHERE id = ${idLiteral(params.id)} FOR UPDATE`,
  );
  const row = rows[0];
  if (!row) return { outcome: "not_found" };
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} SET ${resetColumns(session, session.now)} WHERE id = ${idLiteral(params.id)} AND ${isResettable}`,
  );
  if (affectedRows === 0) return { outcome: "not_failed", status: row.status };
  await insertAttempts(session, [
    {
      taskId: params.id,
      eventType: row.event_type,
      kind: "reset",
      retryCount: row.retry_count,
      claimNo: row.claim_no,
      actor: params.actor,
      detail: params.reason,
    },
  ]);
  return { outcome: "done" };
}
