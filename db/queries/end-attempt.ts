import { sql } from "drizzle-orm";
import { type FinishReason, STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import type { Session } from "../session.ts";
import { type Claim, stillHeld } from "./claim-guard.ts";
import { laterBy } from "./insert-tasks.ts";

/** The failure of an attempt as it is stored: text already cut to its column, fingerprint of its kind. */
export interface StoredError {
  readonly text: string;
  readonly fingerprint: string;
}

/** A counted failure with attempts left: pending again, due after `delayMs`. Rows changed: 1, or 0 if no longer held. */
export async function rescheduleTask(
  session: Session,
  owner: string,
  params: Claim & { readonly delayMs: number; readonly error: StoredError },
): Promise<number> {
  const { error } = params;
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} SET status = ${STATUS_CODE.pending}, owner = NULL, ip = NULL, retry_count = retry_count + 1,
      next_retry_time = ${laterBy(session, params.delayMs)}, last_error = ${error.text}, error_fingerprint = ${error.fingerprint},
      update_time = ${session.now} WHERE ${stillHeld(owner, [params])}`,
  );
  return affectedRows;
}

/**
 * A failure for good: waits for a person. `counted` says whether this end was a failed handler call. What was the due
 * time becomes the time of the failure, so that `idx_claim` lists failed tasks in the order in which they failed.
 */
export async function failTask(
  session: Session,
  owner: string,
  params: Claim & {
    readonly reason: Extract<FinishReason, "exhausted" | "non_retryable">;
    readonly counted: boolean;
    readonly error: StoredError;
  },
): Promise<number> {
  const { error } = params;
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} SET status = ${STATUS_CODE.failed}, retry_count = retry_count + ${params.counted ? 1 : 0},
      finish_reason = ${params.reason}, last_error = ${error.text}, error_fingerprint = ${error.fingerprint},
      next_retry_time = ${session.now}, finished_time = ${session.now}, update_time = ${session.now}
      WHERE ${stillHeld(owner, [params])}`,
  );
  return affectedRows;
}

/** Put off by its handler: pending again, due after `delayMs`, nothing counted. */
export async function snoozeTask(
  session: Session,
  owner: string,
  params: Claim & { readonly delayMs: number },
): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} SET status = ${STATUS_CODE.pending}, owner = NULL, ip = NULL,
      next_retry_time = ${laterBy(session, params.delayMs)}, update_time = ${session.now} WHERE ${stillHeld(owner, [params])}`,
  );
  return affectedRows;
}

/** Ended by its handler as not to be done any more. */
export async function cancelRunningTask(session: Session, owner: string, claim: Claim): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${task} SET status = ${STATUS_CODE.cancelled}, finish_reason = 'cancelled', finished_time = ${session.now},
      update_time = ${session.now} WHERE ${stillHeld(owner, [claim])}`,
  );
  return affectedRows;
}
