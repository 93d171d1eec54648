import { sql } from "drizzle-orm";
import { type FinishReason, STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import type { Session } from "../session.ts";
import { type Claim, stillHeld } from "./claim-guard.ts";

/**
 * Marks claims as succeeded, up to a batch in one statement by primary key. Returns the number of rows changed; fewer
 * than asked means some claims are no longer held. Also used inside a handler's own transaction.
 */
export async function completeTasks(
  session: Session,
  owner: string,
  claims: readonly Claim[],
  reason: Extract<FinishReason, "success" | "skipped"> = "success",
): Promise<number> {
  if (claims.length === 0) return 0;
  const { now } = session;
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} FORCE INDEX (PRIMARY) SET status = ${STATUS_CODE.succeeded}, finish_reason = ${reason},
      finished_time = ${now}, update_time = ${now} WHERE ${stillHeld(owner, claims)}`,
  );
  return affectedRows;
}

/**
 * Locks those of the claims, still held, whose rows no other session keeps locked, inside the caller's transaction; waits
 * for none. For a batch that met a locked row: the others need not wait for it.
 */
export async function lockFreeClaims(
  session: Session,
  owner: string,
  claims: readonly Claim[],
): Promise<ReadonlySet<string>> {
  const rows = await session.rows<{ id: string }>(
    sql`SELECT CAST(id AS CHAR) AS id FROM ${task} FORCE INDEX (PRIMARY) WHERE ${stillHeld(owner, claims)}
      ORDER BY ${task.id} FOR UPDATE SKIP LOCKED`,
  );
  return new Set(rows.map((row) => row.id));
}
