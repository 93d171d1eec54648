import { sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import type { Session } from "../session.ts";
import { type Claim, stillHeld } from "./claim-guard.ts";
import { laterBy } from "./insert-tasks.ts";

/**
 * Gives claims back unrun: pending, no owner, counts and due time as they were. With `delayMs` the due time moves to so
 * long from now (a task that waits for its turn alone). Returns the number of rows changed.
 */
export async function releaseTasks(
  session: Session,
  owner: string,
  claims: readonly Claim[],
  delayMs?: number,
): Promise<number> {
  if (claims.length === 0) return 0;
  const due = delayMs === undefined ? sql`` : sql`next_retry_time = ${laterBy(session, delayMs)},`;
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} FORCE INDEX (PRIMARY) SET status = ${STATUS_CODE.pending}, owner = NULL, ip = NULL, started_time = NULL,
      ${due} update_time = ${session.now} WHERE ${stillHeld(owner, claims)}`,
  );
  return affectedRows;
}
