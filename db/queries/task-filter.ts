import { sql, type SQL } from "drizzle-orm";
import { attempt } from "../schema/attempt.ts";
import { bulkItem } from "../schema/bulk.ts";
import { STATUS_CODE, type TaskStatus } from "../schema/task-status.ts";
import { worker } from "../schema/worker.ts";
import { idList, idLiteral, type Session } from "../session.ts";
import { laterBy } from "./insert-tasks.ts";

/** What a list of tasks can be narrowed to by state. One task can be in several: a retrying one is due or scheduled. */
export const TASK_STATES = [
  "all",
  "due",
  "scheduled",
  "running",
  "retrying",
  "failed",
  "stuck",
  "succeeded",
  "cancelled",
] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** Which tasks a list, a count, an export or a bulk action is about. What is left out does not narrow. */
export interface TaskFilter {
  readonly state: TaskState;
  /** Any of these; an empty list is nobody's tasks. */
  readonly eventTypes?: readonly string[] | undefined;
  readonly bizKey?: string | undefined;
  readonly bizKeyPrefix?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  /** The fingerprint of the last error. */
  readonly cause?: string | undefined;
  /** Text within the last error. */
  readonly errorText?: string | undefined;
  /** The owner, or the beginning of it. */
  readonly worker?: string | undefined;
  readonly minAttempts?: number | undefined;
  /** Taken back from a dead worker at least once. */
  readonly recycled?: boolean | undefined;
  /** Started anew by a person at least once, by its history. */
  readonly wasReset?: boolean | undefined;
  /** Changed by this bulk action. */
  readonly bulkId?: string | undefined;
  /** Due for longer than this. */
  readonly overdueSeconds?: number | undefined;
  readonly createdFrom?: Date | undefined;
  /** Exclusive. */
  readonly createdTo?: Date | undefined;
}

/** Running rows of an owner that is not in the registry count as stuck after this silence: the workers' default. */
export const FOREIGN_AFTER_MS = 180_000;

const STATUSES_OF: Readonly<Record<TaskState, readonly TaskStatus[]>> = {
  all: ["pending", "running", "failed", "succeeded", "cancelled"],
  due: ["pending"],
  scheduled: ["pending"],
  retrying: ["pending"],
  running: ["running"],
  stuck: ["running"],
  failed: ["failed"],
  succeeded: ["succeeded"],
  cancelled: ["cancelled"],
};

/** The statuses in which a task of a state can be stored. */
export function statusesOf(state: TaskState): readonly TaskStatus[] {
  return STATUSES_OF[state];
}

/** The part of a filter that `idx_claim` decides by itself once type and status are given: bounds of the due time. */
export function dueTimeConditions(session: Session, filter: TaskFilter): SQL[] {
  const conditions: SQL[] = [];
  if (filter.state === "due") conditions.push(sql`next_retry_time <= ${session.now}`);
  if (filter.state === "scheduled") conditions.push(sql`next_retry_time > ${session.now}`);
  if (filter.overdueSeconds !== undefined) {
    conditions.push(sql`next_retry_time <= ${laterBy(session, -filter.overdueSeconds * 1_000)}`);
  }
  return conditions;
}

/**
 * True if rows must be read to know whether they belong to the filter: no index holds these columns. A list then looks
 * at a bounded number of rows and says how many.
 */
export function needsRows(filter: TaskFilter): boolean {
  return filter.state === "retrying" || filter.state === "stuck" || narrowsByRow(filter);
}

/** `needsRows` for the filter alone, whatever its state. */
export function narrowsByRow(filter: Omit<TaskFilter, "state">): boolean {
  return (
    [filter.cause, filter.errorText, filter.worker, filter.minAttempts].some((value) => value !== undefined) ||
    filter.recycled === true ||
    filter.wasReset === true ||
    filter.bulkId !== undefined ||
    filter.createdFrom !== undefined ||
    filter.createdTo !== undefined
  );
}

/**
 * The running row `t` whose owner no longer works on it: the recycler's own rule. The registry is asked in a subquery of
 * one value, not in a join: a statement that locks the row or changes it takes no lock on the worker's, which that
 * worker renews every few seconds.
 */
export function isStuck(session: Session): SQL {
  return sql`(t.status = ${STATUS_CODE.running} AND COALESCE((SELECT w.state = 'stopped'
    OR w.beat_time < TIMESTAMPADD(MICROSECOND, w.dead_after_ms * -1000, ${session.now}) FROM ${worker} AS w WHERE w.owner = t.owner),
    t.update_time < ${laterBy(session, -FOREIGN_AFTER_MS)}))`;
}

/** The whole filter as a condition on a row `t` of the task table. */
export function filterCondition(session: Session, filter: TaskFilter): SQL {
  const conditions: SQL[] = [stateCondition(session, filter.state)];
  const { eventTypes, ids, cause, errorText, worker, bizKey, bizKeyPrefix } = filter;
  if (eventTypes) conditions.push(eventTypes.length === 0 ? sql`FALSE` : sql`t.event_type IN (${list(eventTypes)})`);
  if (ids) conditions.push(ids.length === 0 ? sql`FALSE` : sql`t.id IN (${idList(ids)})`);
  if (bizKey !== undefined) conditions.push(sql`t.biz_key = ${bizKey}`);
  if (bizKeyPrefix !== undefined) conditions.push(sql`t.biz_key LIKE ${likePrefix(bizKeyPrefix)}`);
  if (cause !== undefined) conditions.push(sql`t.error_fingerprint = ${cause}`);
  if (errorText !== undefined) conditions.push(sql`LOCATE(${errorText}, t.last_error) > 0`);
  if (worker !== undefined) conditions.push(sql`t.owner LIKE ${likePrefix(worker)}`);
  if (filter.minAttempts !== undefined) conditions.push(sql`t.retry_count >= ${filter.minAttempts}`);
  if (filter.recycled === true) conditions.push(sql`t.recycle_count > 0`);
  if (filter.wasReset === true) conditions.push(wasReset);
  if (filter.bulkId !== undefined) conditions.push(isOfBulk(filter.bulkId));
  if (filter.createdFrom) conditions.push(sql`t.create_time >= ${session.zone.format(filter.createdFrom)}`);
  if (filter.createdTo) conditions.push(sql`t.create_time < ${session.zone.format(filter.createdTo)}`);
  if (filter.overdueSeconds !== undefined) {
    conditions.push(sql`t.next_retry_time <= ${laterBy(session, -filter.overdueSeconds * 1_000)}`);
  }
  return sql.join(conditions, sql` AND `);
}

/** Subqueries of one value, looked up by key: a semi-join might be read the other way round. */
const wasReset: SQL = sql`(SELECT 1 FROM ${attempt} AS a FORCE INDEX (idx_task) WHERE a.task_id = t.id AND a.kind = 'reset' LIMIT 1) = 1`;

function isOfBulk(bulkId: string): SQL {
  return sql`(SELECT 1 FROM ${bulkItem} AS item WHERE item.bulk_id = ${idLiteral(bulkId)} AND item.task_id = t.id AND item.result = 'done') = 1`;
}

function stateCondition(session: Session, state: TaskState): SQL {
  switch (state) {
    case "all":
      return sql`TRUE`;
    case "due":
      return sql`t.status = ${STATUS_CODE.pending} AND t.next_retry_time <= ${session.now}`;
    case "scheduled":
      return sql`t.status = ${STATUS_CODE.pending} AND t.next_retry_time > ${session.now}`;
    case "retrying":
      return sql`t.status = ${STATUS_CODE.pending} AND t.retry_count > 0`;
    case "stuck":
      return isStuck(session);
    case "running":
    case "failed":
    case "succeeded":
    case "cancelled":
      return sql`t.status = ${STATUS_CODE[state]}`;
  }
}

/** A prefix as a pattern, with its own wildcards taken literally. */
export function likePrefix(prefix: string): string {
  return `${prefix.replace(/[\\%_]/g, "\\$&")}%`;
}

function list(texts: readonly string[]): SQL {
  return sql.join(
    texts.map((text) => sql`${text}`),
    sql`, `,
  );
}
