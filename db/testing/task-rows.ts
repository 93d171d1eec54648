import { randomBytes } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { type FinishReason, STATUS_CODE, type TaskStatus, statusFromCode } from "../schema/task-status.ts";
import { type Session, idLiteral } from "../session.ts";

/** A whole row of `t_retry_task`. */
export interface TaskRow {
  readonly id: string;
  readonly eventType: string;
  readonly bizKey: string;
  readonly bizContext: string;
  readonly status: TaskStatus;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly retryStrategy: string;
  readonly firstRetryInterval: number;
  readonly nextRetryTime: Date;
  readonly ip: string | null;
  readonly createTime: Date;
  readonly updateTime: Date;
  readonly owner: string | null;
  readonly claimNo: number;
  readonly recycleCount: number;
  readonly lastError: string | null;
  readonly errorFingerprint: string | null;
  readonly finishReason: FinishReason | null;
  readonly startedTime: Date | null;
  readonly finishedTime: Date | null;
  readonly traceParent: string | null;
  readonly parentId: string | null;
  readonly origin: string | null;
}

export type TaskRowValues = Partial<TaskRow> & {
  /** Sets `nextRetryTime` this many milliseconds after the session's now; negative is overdue. */
  readonly dueInMs?: number;
};

const COLUMN = {
  id: "id",
  eventType: "event_type",
  bizKey: "biz_key",
  bizContext: "biz_context",
  status: "status",
  retryCount: "retry_count",
  maxRetryCount: "max_retry_count",
  retryStrategy: "retry_strategy",
  firstRetryInterval: "first_retry_interval",
  nextRetryTime: "next_retry_time",
  ip: "ip",
  createTime: "create_time",
  updateTime: "update_time",
  owner: "owner",
  claimNo: "claim_no",
  recycleCount: "recycle_count",
  lastError: "last_error",
  errorFingerprint: "error_fingerprint",
  finishReason: "finish_reason",
  startedTime: "started_time",
  finishedTime: "finished_time",
  traceParent: "trace_parent",
  parentId: "parent_id",
  origin: "origin",
} as const satisfies Record<keyof TaskRow, string>;

const NAMES = Object.keys(COLUMN) as (keyof TaskRow)[];

/**
 * Inserts a task that sets only what the test is about; the rest is a pending task of type TEST that is due now, FIXED
 * 10 s, at most 3 retries, under a biz key of its own. Returns its id as decimal text.
 */
export async function insertTaskRow(session: Session, values: TaskRowValues = {}): Promise<string> {
  const { dueInMs, ...given } = values;
  const row: Partial<TaskRow> = {
    eventType: "TEST",
    bizKey: randomBytes(8).toString("hex"),
    bizContext: "{}",
    status: "pending",
    maxRetryCount: 3,
    retryStrategy: "FIXED",
    firstRetryInterval: 10,
    ...given,
  };
  const columns: SQL[] = [];
  const stored: SQL[] = [];
  for (const name of NAMES) {
    const value = row[name];
    if (value === undefined) continue;
    columns.push(sql.raw(COLUMN[name]));
    stored.push(storedValue(session, name, value));
  }
  if (row.nextRetryTime === undefined) {
    columns.push(sql.raw(COLUMN.nextRetryTime));
    stored.push(sql`TIMESTAMPADD(MICROSECOND, ${(dueInMs ?? 0) * 1_000}, ${session.now})`);
  }
  const { insertId } = await session.change(
    sql`INSERT INTO t_retry_task (${sql.join(columns, sql`, `)}) VALUES (${sql.join(stored, sql`, `)})`,
  );
  return row.id ?? String(insertId);
}

function storedValue(session: Session, name: keyof TaskRow, value: TaskRow[keyof TaskRow]): SQL {
  if (name === "status") return sql`${STATUS_CODE[value as TaskStatus]}`;
  if (value instanceof Date) return sql`${session.zone.format(value)}`;
  if ((name === "id" || name === "parentId") && typeof value === "string") return idLiteral(value);
  return sql`${value}`;
}

/** Reads one task as it is stored, or `undefined` if the table does not hold it. */
export async function readTaskRow(session: Session, id: string): Promise<TaskRow | undefined> {
  const columns = NAMES.map((name) => sql`${sql.raw(COLUMN[name])} AS ${sql.raw(name)}`);
  const [row] = await session.rows<Record<keyof TaskRow, string | number | null>>(
    sql`SELECT ${sql.join(columns, sql`, `)} FROM t_retry_task WHERE id = ${idLiteral(id)}`,
  );
  if (!row) return undefined;
  const text = (value: string | number | null) => (value === null ? null : String(value));
  const instant = (value: string | number | null) => (value === null ? null : session.zone.parseInstant(String(value)));
  const present = (value: string | number | null) => session.zone.parseInstant(String(value));
  const status = statusFromCode(Number(row.status));
  if (status === undefined) throw new Error(`task ${id} has the unknown status ${String(row.status)}`);
  return {
    id: String(row.id),
    eventType: String(row.eventType),
    bizKey: String(row.bizKey),
    bizContext: String(row.bizContext),
    status,
    retryCount: Number(row.retryCount),
    maxRetryCount: Number(row.maxRetryCount),
    retryStrategy: String(row.retryStrategy),
    firstRetryInterval: Number(row.firstRetryInterval),
    nextRetryTime: present(row.nextRetryTime),
    ip: text(row.ip),
    createTime: present(row.createTime),
    updateTime: present(row.updateTime),
    owner: text(row.owner),
    claimNo: Number(row.claimNo),
    recycleCount: Number(row.recycleCount),
    lastError: text(row.lastError),
    errorFingerprint: text(row.errorFingerprint),
    finishReason: text(row.finishReason) as FinishReason | null,
    startedTime: instant(row.startedTime),
    finishedTime: instant(row.finishedTime),
    traceParent: text(row.traceParent),
    parentId: text(row.parentId),
    origin: text(row.origin),
  };
}
