import { sql, type SQL } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import type { Change, Session } from "../session.ts";
import { textLiteral, textLiteralOrNull } from "../text-literal.ts";

export interface NewTask {
  readonly eventType: string;
  readonly bizKey: string;
  readonly bizContext: string;
  readonly maxRetryCount: number;
  readonly retryStrategy: string;
  readonly firstRetryIntervalSeconds: number;
  /** When the task is due: so many milliseconds after the database's now, or at an instant. */
  readonly due: { readonly delayMs: number } | { readonly at: Date };
  /** Set: the row is born claimed (running, claim 1) by this owner. Left out: it is born pending. */
  readonly claim?: { readonly owner: string; readonly ip: string };
  readonly origin?: string | undefined;
  readonly traceParent?: string | undefined;
  readonly parentId?: string | undefined;
}

const columns = sql.raw(
  "event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy, first_retry_interval, " +
    "next_retry_time, ip, create_time, update_time, owner, claim_no, started_time, trace_parent, parent_id, origin",
);

/**
 * Creates tasks with one plain INSERT, in the caller's own transaction. A key that exists already raises 1062 for the
 * whole statement, which undoes the statement and nothing else of the transaction. `insertId` is the first new id. Texts
 * arrive byte for byte whatever character set and sql_mode the caller's session has.
 */
export async function insertTasks(session: Session, tasks: readonly NewTask[]): Promise<Change> {
  const rows = tasks.map((one) => valuesOf(session, one));
  return session.change(sql`INSERT INTO ${task} (${columns}) VALUES ${sql.join(rows, sql`, `)}`);
}

function valuesOf(session: Session, one: NewTask): SQL {
  const { now } = session;
  const claim = one.claim;
  const status = claim ? STATUS_CODE.running : STATUS_CODE.pending;
  const parentId = one.parentId === undefined ? null : BigInt(one.parentId);
  return sql`(${textLiteral(one.eventType)}, ${textLiteral(one.bizKey)}, ${textLiteral(one.bizContext)}, ${status}, 0,
    ${one.maxRetryCount}, ${one.retryStrategy}, ${one.firstRetryIntervalSeconds}, ${dueTime(session, one.due)}, ${claim?.ip ?? null},
    ${now}, ${now}, ${claim?.owner ?? null}, ${claim ? 1 : 0}, ${claim ? now : null}, ${textLiteralOrNull(one.traceParent)}, ${parentId},
    ${textLiteralOrNull(one.origin)})`;
}

function dueTime(session: Session, due: NewTask["due"]): SQL {
  if ("at" in due) return sql`${session.zone.format(due.at)}`;
  return due.delayMs === 0 ? session.now : laterBy(session, due.delayMs);
}

/** The database's now plus a number of milliseconds (whole; negative is earlier). */
export function laterBy(session: Session, ms: number): SQL {
  return sql`TIMESTAMPADD(MICROSECOND, ${sql.raw(String(Math.trunc(ms)))} * 1000, ${session.now})`;
}
