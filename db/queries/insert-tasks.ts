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
  readonly claim?: { readonly owner: string; readonly ip: string } | undefined;
  readonly origin?: string | undefined;
  readonly traceParent?: string | undefined;
  readonly parentId?: string | undefined;
}

const TABLE = plainText(sql`${task}`);

/** In every row; the others are left to their defaults where no row of the statement needs them. */
const COLUMNS =
  "event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time, " +
  "create_time, update_time, origin";
const CLAIM_COLUMNS = ", ip, owner, claim_no, started_time";
const TRACE_COLUMNS = ", trace_parent, parent_id";

/**
 * Creates tasks with one plain INSERT, in the caller's own transaction. A key that exists already raises 1062 for the
 * whole statement, which undoes the statement and nothing else of the transaction. `insertId` is the first new id. Texts
 * arrive byte for byte whatever character set and sql_mode the caller's session has.
 */
export async function insertTasks(session: Session, tasks: readonly NewTask[]): Promise<Change> {
  // Every value is a literal of its own making, so rows are joined as text: hundreds of them as composed parts cost
  // several times the insert.
  const now = plainText(session.now);
  const hasClaim = tasks.some(({ claim }) => claim !== undefined);
  const hasTrace = tasks.some(({ traceParent, parentId }) => traceParent !== undefined || parentId !== undefined);
  const columns = `${COLUMNS}${hasClaim ? CLAIM_COLUMNS : ""}${hasTrace ? TRACE_COLUMNS : ""}`;
  const repeated = repeatedLiterals();
  const rows = tasks.map((one) => {
    const claim = hasClaim ? `, ${claimText(one, now, repeated)}` : "";
    const trace = hasTrace ? `, ${traceText(one)}` : "";
    return `(${rowText(session, now, one, repeated)}${claim}${trace})`;
  });
  return session.changeText(`INSERT INTO ${TABLE} (${columns}) VALUES ${rows.join(", ")}`);
}

type Literals = (text: string) => string;

/** Literals of texts that most rows of a statement share, each made once. */
function repeatedLiterals(): Literals {
  const made = new Map<string, string>();
  return (text) => {
    let literal = made.get(text);
    if (literal === undefined) {
      literal = literalText(text);
      made.set(text, literal);
    }
    return literal;
  };
}

function rowText(session: Session, now: string, one: NewTask, repeated: Literals): string {
  const status = one.claim ? STATUS_CODE.running : STATUS_CODE.pending;
  const origin = one.origin === undefined ? "NULL" : repeated(one.origin);
  return (
    `${repeated(one.eventType)}, ${literalText(one.bizKey)}, ${literalText(one.bizContext)}, ${status}, ` +
    `${Math.trunc(one.maxRetryCount)}, ${repeated(one.retryStrategy)}, ${Math.trunc(one.firstRetryIntervalSeconds)}, ` +
    `${dueTime(session, now, one.due)}, ${now}, ${now}, ${origin}`
  );
}

function claimText({ claim }: NewTask, now: string, repeated: Literals): string {
  return claim ? `${repeated(claim.ip)}, ${repeated(claim.owner)}, 1, ${now}` : "NULL, NULL, 0, NULL";
}

function traceText({ traceParent, parentId }: NewTask): string {
  return `${literalTextOrNull(traceParent)}, ${parentId === undefined ? "NULL" : BigInt(parentId)}`;
}

function dueTime(session: Session, now: string, due: NewTask["due"]): string {
  if ("at" in due) return `'${session.zone.format(due.at)}'`;
  return due.delayMs === 0 ? now : plainText(laterBy(session, due.delayMs));
}

/** The database's now plus a number of milliseconds (whole; negative is earlier). */
export function laterBy(session: Session, ms: number): SQL {
  return sql`TIMESTAMPADD(MICROSECOND, ${sql.raw(String(Math.trunc(ms)))} * 1000, ${session.now})`;
}
