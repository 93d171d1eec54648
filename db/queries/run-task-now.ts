import { sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";
import { insertAttempts } from "./insert-attempts.ts";

export type RunNowVerdict =
  | { readonly outcome: "done" }
  /** It was due already: nothing to bring forward. */
  | { readonly outcome: "already_due" }
  | { readonly outcome: "not_pending"; readonly status: number }
  | { readonly outcome: "not_found" };

/**
 * Ends the wait of a pending task, inside the caller's transaction: due now; the poller runs it. Counts stay, and with
 * them the wait after the next failure.
 */
export async function runTaskNow(
  session: Session,
  params: { readonly id: string; readonly actor: string; readonly reason?: string | undefined },
): Promise<RunNowVerdict> {
  const [row] = await session.rows<{ event_type: string; status: number; retry_count: number; claim_no: number }>(
    sql`SELECT event_type, status, retry_count, claim_no FROM ${task} WHERE id = ${idLiteral(params.id)} FOR UPDATE`,
  );
  if (!row) return { outcome: "not_found" };
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} SET next_retry_time = ${session.now}, update_time = ${session.now}
      WHERE id = ${idLiteral(params.id)} AND status = ${STATUS_CODE.pending} AND next_retry_time > ${session.now}`,
  );
  if (affectedRows === 0) {
    return row.status === STATUS_CODE.pending
      ? { outcome: "already_due" }
      : { outcome: "not_pending", status: row.status };
  }
  await insertAttempts(session, [
    {
      taskId: params.id,
      eventType: row.event_type,
      kind: "run_now",
      retryCount: row.retry_count,
      claimNo: row.claim_no,
      actor: params.actor,
      detail: params.reason,
    },
  ]);
  return { outcome: "done" };
}
