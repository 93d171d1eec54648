import { sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";
import { cancelColumns, isCancellable } from "./cancel-tasks.ts";
import { insertAttempts } from "./insert-attempts.ts";
import { asSeen, type SeenTask } from "./reset-task.ts";

export type CancelVerdict =
  | { readonly outcome: "done" }
  | { readonly outcome: "not_waiting"; readonly status: number }
  /** It may be cancelled, but it is not what `seen` states. */
  | { readonly outcome: "changed"; readonly status: number }
  | { readonly outcome: "not_found" };

/**
 * A person's end of a task that is pending or failed for good, inside the caller's transaction; never of a running one,
 * and with `seen` only if it is still that.
 */
export async function cancelTask(
  session: Session,
  params: {
    readonly id: string;
    readonly actor: string;
    readonly reason?: string | undefined;
    readonly seen?: SeenTask | undefined;
  },
): Promise<CancelVerdict> {
  const rows = await session.rows<{ event_type: string; status: number; retry_count: number; claim_no: number }>(
    sql`SELECT event_type, status, retry_count, claim_no FROM ${task} WHERE id = ${idLiteral(params.id)} FOR UPDATE`,
  );
  const row = rows[0];
  if (!row) return { outcome: "not_found" };
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} SET ${cancelColumns(session)} WHERE id = ${idLiteral(params.id)} ${asSeen(params.seen)} AND ${isCancellable}`,
  );
  if (affectedRows === 0) {
    const isWaiting = row.status === STATUS_CODE.pending || row.status === STATUS_CODE.failed;
    return { outcome: isWaiting ? "changed" : "not_waiting", status: row.status };
  }
  await insertAttempts(session, [
    {
      taskId: params.id,
      eventType: row.event_type,
      kind: "cancelled",
      retryCount: row.retry_count,
      claimNo: row.claim_no,
      actor: params.actor,
      detail: params.reason,
    },
  ]);
  return { outcome: "done" };
}
