import { sql, type SQL } from "drizzle-orm";
import { bulkItem } from "../schema/bulk.ts";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idLiteral, idRows, type Session } from "../session.ts";
import {
  dueTimeConditions,
  filterCondition,
  likePrefix,
  needsRows,
  statusesOf,
  type TaskFilter,
} from "./task-filter.ts";
import { orderOf } from "./task-order.ts";

export interface TaskListCount {
  readonly count: number;
  /** There may be more: counting stopped at its limit, or the rows that it may look at were used up. */
  readonly atLeast: boolean;
}

/** Counting of one list stops here. */
export const LIST_COUNT_MAX = 10_000;

/** Rows that a count looks at, at most, where no index decides which belong to the filter. */
export const COUNT_ROWS_MAX = 8_000;

const BRANCHES_PER_STATEMENT = 64;

/**
 * How many tasks a filter has, up to a limit. Where index entries decide, from these alone, a part of the types per
 * statement until the limit is reached; else from rows of the list, of which no more than `rowsMax` are read.
 */
export async function countTaskList(
  session: Session,
  params: {
    readonly filter: TaskFilter;
    /** The types to count in where the filter names none. */
    readonly eventTypes: readonly string[];
    readonly countMax?: number;
    readonly rowsMax?: number;
  },
): Promise<TaskListCount> {
  const { filter, countMax = LIST_COUNT_MAX, rowsMax = COUNT_ROWS_MAX } = params;
  if (orderOf(filter).by !== "due" && !isPlain(filter)) {
    const { scanned, count } = await countRows(session, filter, firstIds(filter, rowsMax + 1));
    return capped(count, countMax, scanned > rowsMax);
  }
  const branches = branchesOf(session, filter, filter.eventTypes ?? params.eventTypes);
  const looksAtRows = needsRows(filter);
  let count = 0;
  let scanned = 0;
  for (let start = 0; start < branches.length; start += BRANCHES_PER_STATEMENT) {
    const left = looksAtRows ? rowsMax - scanned : countMax - count;
    const ids = someOf(branches.slice(start, start + BRANCHES_PER_STATEMENT), left + 1);
    const part = looksAtRows ? await countRows(session, filter, ids) : await countEntries(session, ids);
    count += part.count;
    scanned += part.scanned;
    if (count > countMax || part.scanned > left) return capped(count, countMax, true);
  }
  return capped(count, countMax, false);
}

function capped(count: number, countMax: number, atLeast: boolean): TaskListCount {
  return { count: Math.min(count, countMax), atLeast: atLeast || count > countMax };
}

/** True for all tasks: they are the sum of their statuses, which the index counts. */
function isPlain(filter: TaskFilter): boolean {
  const { bizKey, bizKeyPrefix, ids, overdueSeconds } = filter;
  return [bizKey, bizKeyPrefix, ids, overdueSeconds].every((part) => part === undefined) && !needsRows(filter);
}

/** The ids that a list in order of id or of biz key begins with. */
function firstIds({ ids, bulkId, bizKey, bizKeyPrefix }: TaskFilter, limit: number): SQL {
  if (ids) return ids.length === 0 ? sql`(SELECT 0 AS id)` : idRows(ids);
  if (bulkId !== undefined) {
    return sql`(SELECT task_id AS id FROM ${bulkItem} FORCE INDEX (idx_result) WHERE bulk_id = ${idLiteral(bulkId)} AND result = 'done'
      ORDER BY task_id DESC LIMIT ${raw(limit)})`;
  }
  const ofKey = bizKey !== undefined ? sql`biz_key = ${bizKey}` : sql`biz_key LIKE ${likePrefix(bizKeyPrefix ?? "")}`;
  return bizKey !== undefined || bizKeyPrefix !== undefined
    ? sql`(SELECT id FROM ${task} FORCE INDEX (uk_event_biz) WHERE ${ofKey} ORDER BY biz_key, event_type LIMIT ${raw(limit)})`
    : sql`(SELECT id FROM ${task} FORCE INDEX (PRIMARY) ORDER BY ${task.id} DESC LIMIT ${raw(limit)})`;
}

function branchesOf(session: Session, filter: TaskFilter, eventTypes: readonly string[]): ((limit: number) => SQL)[] {
  const bounds = dueTimeConditions(session, filter).map((bound) => sql`AND ${bound}`);
  return eventTypes.flatMap((eventType) =>
    statusesOf(filter.state).map(
      (status) => (limit: number) => sql`(SELECT id FROM ${task} FORCE INDEX (idx_claim)
        WHERE event_type = ${eventType} AND status = ${STATUS_CODE[status]} ${sql.join(bounds, sql` `)} LIMIT ${raw(limit)})`,
    ),
  );
}

function someOf(branches: readonly ((limit: number) => SQL)[], limit: number): SQL {
  const selects = branches.map((branch) => branch(limit));
  return sql`(SELECT id FROM (${sql.join(selects, sql` UNION ALL `)}) AS entries LIMIT ${raw(limit)})`;
}

async function countEntries(session: Session, ids: SQL): Promise<{ readonly scanned: number; readonly count: number }> {
  const [row] = await session.rows<{ n: string | number }>(sql`SELECT COUNT(*) AS n FROM ${ids} AS list`);
  const count = Number(row?.n ?? 0);
  return { scanned: count, count };
}

async function countRows(
  session: Session,
  filter: TaskFilter,
  ids: SQL,
): Promise<{ readonly scanned: number; readonly count: number }> {
  const [row] = await session.rows<{ scanned: string | number; n: string | number | null }>(
    sql`SELECT COUNT(*) AS scanned, SUM(IF(${filterCondition(session, filter)}, 1, 0)) AS n
      FROM ${ids} AS list STRAIGHT_JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id`,
  );
  return { scanned: Number(row?.scanned ?? 0), count: Number(row?.n ?? 0) };
}

function raw(limit: number): SQL {
  return sql.raw(String(Math.max(1, Math.trunc(limit))));
}
