import { sql, type SQL } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { type Change, plainText, type Session } from "../session.ts";
import { literalText, literalTextOrNull } from "../text-literal.ts";

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
  // Every value is a literal of its own making, so rows are joined as text: hundreds of them as composed parts cost
  // several times the insert.
  const now = plainText(session.now);
  const rows = tasks.map((one) => rowText(session, now, one)).join(", ");
  return session.change(sql`INSERT INTO ${task} (${columns}) VALUES ${sql.raw(rows)}`);
}

function rowText(session: Session, now: string, one: NewTask): string {
  const { claim } = one;
  const values = [
    literalText(one.eventType),
    literalText(one.bizKey),
    literalText(one.bizContext),
    claim ? STATUS_CODE.running : STATUS_CODE.pending,
    0,
    Math.trunc(one.maxRetryCount),
    literalText(one.retryStrategy),
    Math.trunc(one.firstRetryIntervalSeconds),
    dueTime(session, now, one.due),
    literalTextOrNull(claim?.ip),
    now,
    now,
    literalTextOrNull(claim?.owner),
    claim ? 1 : 0,
    claim ? now : "NULL",
    literalTextOrNull(one.traceParent),
    one.parentId === undefined ? "NULL" : BigInt(one.parentId),
    literalTextOrNull(one.origin),
  ];
  return `(${values.join(", ")})`;
}

function dueTime(session: Session, now: string, due: NewTask["due"]): string {
  if ("at" in due) return `'${session.zone.format(due.at)}'`;
  return due.delayMs === 0 ? now : plainText(laterBy(session, due.delayMs));
}

/** The database's now plus a number of milliseconds (whole; negative is earlier). */
export function laterBy(session: Session, ms: number): SQL {
  return sql`TIMESTAMPADD(MICROSECOND, ${sql.raw(String(Math.trunc(ms)))} * 1000, ${session.now})`;
}
