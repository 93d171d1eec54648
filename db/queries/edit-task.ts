import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";
import { textLiteral } from "../text-literal.ts";
import { insertAttempts } from "./insert-attempts.ts";
import { asSeen, resetTask, type ResetVerdict, type SeenTask } from "./reset-task.ts";

/** The name of a payload by its bytes, as the guard of an edit compares it. */
export function payloadHash(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/**
 * Gives a task that failed for good another payload and a new start, inside the caller's transaction: both or neither.
 * Only while the task is what `seen` states and its payload is still the one with the hash `basedOn`. Type and key stay.
 */
export async function editTask(
  session: Session,
  params: {
    readonly id: string;
    readonly bizContext: string;
    readonly basedOn: string;
    readonly actor: string;
    readonly reason?: string | undefined;
    readonly seen: SeenTask;
  },
): Promise<ResetVerdict> {
  const { id, actor, reason, seen } = params;
  const [row] = await session.rows<{ event_type: string; status: number; retry_count: number; claim_no: number }>(
    sql`SELECT event_type, status, retry_count, claim_no FROM ${task} WHERE id = ${idLiteral(id)} FOR UPDATE`,
  );
  if (!row) return { outcome: "not_found" };
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} SET biz_context = ${textLiteral(params.bizContext)}, update_time = ${session.now} WHERE id = ${idLiteral(id)} ${asSeen(seen)}
      AND status = ${STATUS_CODE.failed} AND SHA2(biz_context, 256) = ${params.basedOn}`,
  );
  if (affectedRows === 0) {
    return { outcome: row.status === STATUS_CODE.failed ? "changed" : "not_failed", status: row.status };
  }
  await insertAttempts(session, [
    {
      taskId: id,
      eventType: row.event_type,
      kind: "edited",
      retryCount: row.retry_count,
      claimNo: row.claim_no,
      actor,
      detail: reason,
    },
  ]);
  return resetTask(session, { id, actor, reason, seen });
}
