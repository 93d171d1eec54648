import { sql, type SQL } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";
import { insertAttempts } from "./insert-attempts.ts";
import { laterBy } from "./insert-tasks.ts";
import { isResettable, resetColumns } from "./reset-tasks.ts";

/** What a person saw of a task when deciding; a change that states it is refused once the task has moved on. */
export interface SeenTask {
  readonly status: number;
  readonly claimNo: number;
}

/** When a task is due that a person starts anew; a time that has passed is now. */
export type ResetDue = { readonly delayMs: number } | { readonly at: Date };

/** What a reset overwrote, and the instant it wrote: all that an undo needs. */
export interface ResetTrace {
  readonly status: number;
  readonly claimNo: number;
  readonly retryCount: number;
  readonly recycleCount: number;
  readonly finishReason: string | undefined;
  readonly owner: string | undefined;
  readonly ip: string | undefined;
  readonly nextRetryAt: Date;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  readonly resetAt: Date;
}

/** What a reset found: `done`, or why nothing was changed and the status it saw. */
export type ResetVerdict =
  | { readonly outcome: "done"; readonly trace: ResetTrace }
  | { readonly outcome: "not_failed"; readonly status: number }
  /** It may be reset, but it is not what `seen` states: it ran, or ended in another way, since. */
  | { readonly outcome: "changed"; readonly status: number }
  | { readonly outcome: "not_found" };

/**
 * A person's new start of a failed task, inside the caller's transaction: pending, count 0, due now or when asked for; the
 * poller runs it. Changes only a task that failed for good or is stuck in running (see `isResettable`), and with `seen` only
 * if it is still that. Two presses are one reset: the second finds the task pending.
 */
export async function resetTask(
  session: Session,
  params: {
    readonly id: string;
    readonly actor: string;
    readonly reason?: string | undefined;
    readonly due?: ResetDue | undefined;
    readonly seen?: SeenTask | undefined;
  },
): Promise<ResetVerdict> {
  const [row] = await session.rows<ResetRow>(
    sql`SELECT event_type, status, retry_count, claim_no, recycle_count, finish_reason, owner, ip, next_retry_time, started_time,
      finished_time, CAST(${session.now} AS CHAR) AS now_time FROM ${task} WHERE id = ${idLiteral(params.id)} FOR UPDATE`,
  );
  if (!row) return { outcome: "not_found" };
  // One instant for the row and its history: an undo recognises the reset by it.
  const resetAt = session.zone.parseInstant(row.now_time);
  const fixed = session.at(resetAt);
  const { affectedRows } = await fixed.change(
    sql`UPDATE ${task} AS t SET ${resetColumns(fixed, dueTime(fixed, params.due))} WHERE t.id = ${idLiteral(params.id)} ${asSeen(params.seen)}
      AND ${isResettable(fixed)}`,
  );
  if (affectedRows === 0) {
    return { outcome: row.status === STATUS_CODE.failed ? "changed" : "not_failed", status: row.status };
  }
  await insertAttempts(fixed, [
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
  return { outcome: "done", trace: traceOf(session, row, resetAt) };
}

/** The guard of a person's action: the task is still what that person saw. */
export function asSeen(seen: SeenTask | undefined): SQL {
  return seen === undefined
    ? sql``
    : sql`AND status = ${Math.trunc(seen.status)} AND claim_no = ${Math.trunc(seen.claimNo)}`;
}

interface ResetRow {
  readonly event_type: string;
  readonly status: number;
  readonly retry_count: number;
  readonly claim_no: number;
  readonly recycle_count: number;
  readonly finish_reason: string | null;
  readonly owner: string | null;
  readonly ip: string | null;
  readonly next_retry_time: string;
  readonly started_time: string | null;
  readonly finished_time: string | null;
  readonly now_time: string;
}

function dueTime(session: Session, due: ResetDue | undefined): SQL {
  if (due === undefined) return session.now;
  return "at" in due
    ? sql`GREATEST(${session.now}, CAST(${session.zone.format(due.at)} AS DATETIME(3)))`
    : laterBy(session, due.delayMs);
}

function traceOf({ zone }: Session, row: ResetRow, resetAt: Date): ResetTrace {
  const instant = (text: string | null) => (text === null ? undefined : zone.parseInstant(text));
  return {
    status: row.status,
    claimNo: row.claim_no,
    retryCount: row.retry_count,
    recycleCount: row.recycle_count,
    finishReason: row.finish_reason ?? undefined,
    owner: row.owner ?? undefined,
    ip: row.ip ?? undefined,
    nextRetryAt: zone.parseInstant(row.next_retry_time),
    startedAt: instant(row.started_time),
    finishedAt: instant(row.finished_time),
    resetAt,
  };
}
