import { sql, type SQL } from "drizzle-orm";
import { bulkItem } from "../schema/bulk.ts";
import { STATUS_CODE, type TaskStatus } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";
import { firstIdSince, ID_END, type IdRange } from "./find-id-by-time.ts";
import { type Fetch, MergedPositions, type Position, type PositionSource } from "./merge-positions.ts";
import { dueTimeConditions, likePrefix, needsRows, statusesOf, type TaskFilter } from "./task-filter.ts";

export const ORDER_COLUMNS = ["created", "due", "bizKey"] as const;
export type OrderColumn = (typeof ORDER_COLUMNS)[number];

export interface TaskOrder {
  /** `created`: by id. `due`: by the time a task is or was due. `bizKey`: by biz key, then event type. */
  readonly by: OrderColumn;
  readonly direction: "asc" | "desc";
}

/** The orders that an index serves for a filter, the usual one first. No other is possible in bounded work. */
export function ordersOf(filter: TaskFilter): readonly OrderColumn[] {
  if (filter.ids || filter.bulkId !== undefined) return ["created"];
  if (filter.bizKey !== undefined || filter.bizKeyPrefix !== undefined) return ["bizKey"];
  if (filter.state === "all" && !filter.eventTypes) return ["created", "bizKey"];
  return ["due"];
}

/** The order that is asked for if an index serves it, else the usual one of the filter. */
export function orderOf(filter: TaskFilter, asked?: TaskOrder): TaskOrder {
  const [usual = "created", ...others] = ordersOf(filter);
  if (asked && [usual, ...others].includes(asked.by)) return asked;
  return { by: usual, direction: usualDirection(filter, usual) };
}

/** What ended: newest first. What is still to happen or happening: what waits longest first. */
function usualDirection(filter: TaskFilter, by: OrderColumn): TaskOrder["direction"] {
  switch (by) {
    case "created":
      return "desc";
    case "bizKey":
      return "asc";
    case "due":
      return statusesOf(filter.state).some((status) => status === "pending" || status === "running") &&
        filter.state !== "all"
        ? "asc"
        : "desc";
  }
}

export function reversed({ by, direction }: TaskOrder): TaskOrder {
  return { by, direction: direction === "asc" ? "desc" : "asc" };
}

/** True if positions of this filter must be followed by a look at their rows to know which belong to it. */
export function mustLookAtRows(filter: TaskFilter, order: TaskOrder): boolean {
  if (needsRows(filter)) return true;
  if (order.by === "due") return false;
  return filter.state !== "all" || filter.eventTypes !== undefined || filter.overdueSeconds !== undefined;
}

/**
 * The positions of a filter's tasks in an order, behind `after`, read from one index alone: `idx_claim` per type and
 * status and merged, the primary key, or `uk_event_biz`. Conditions that the index does not hold are left to the rows.
 */
export function positionsOf(
  session: Session,
  params: {
    readonly filter: TaskFilter;
    readonly order: TaskOrder;
    readonly after: Position | undefined;
    /** The types whose tasks the order `due` merges. */
    readonly eventTypes: readonly string[];
    readonly expected: number;
    /** Confines the order `created`. */
    readonly range?: IdRange | undefined;
  },
): PositionSource {
  const { filter, order, after, range } = params;
  const { bulkId } = filter;
  if (filter.ids) return givenIds(filter.ids, order, after);
  if (bulkId !== undefined) {
    return single(after, (from, limit) => positionsOfBulk(session, { bulkId, order, after: from, limit }));
  }
  switch (order.by) {
    case "created":
      return single(after, (from, limit) => positionsById(session, { order, after: from, limit, range }));
    case "bizKey":
      return single(after, (from, limit) => positionsByBizKey(session, { filter, order, after: from, limit }));
    case "due": {
      const branches = params.eventTypes.flatMap((eventType) =>
        statusesOf(filter.state).map((status) => ({ eventType, status })),
      );
      return new MergedPositions<Branch>({
        branches,
        after,
        expected: params.expected,
        compare: order.direction === "asc" ? byDueTime : (a, b) => byDueTime(b, a),
        fetch: (wanted) => positionsByDueTime(session, { filter, order, wanted }),
      });
    }
  }
}

interface Branch {
  readonly eventType: string;
  readonly status: TaskStatus;
}

function single(
  start: Position | undefined,
  read: (after: Position | undefined, limit: number) => Promise<Position[]>,
): PositionSource {
  let after = start;
  return {
    next: async (count) => {
      const positions = await read(after, count);
      after = positions.at(-1) ?? after;
      return positions;
    },
  };
}

function givenIds(ids: readonly string[], order: TaskOrder, after: Position | undefined): PositionSource {
  const sign = order.direction === "asc" ? 1 : -1;
  const rest = ids
    .map((id): Position => ({ id, key: [] }))
    .sort((a, b) => byId(a, b) * sign)
    .filter((position) => !after || byId(position, after) * sign > 0);
  return { next: (count) => Promise.resolve(rest.splice(0, count)) };
}

/** The next positions along the primary key, of all ids or within a range of them. */
export async function positionsById(
  session: Session,
  params: {
    readonly order: TaskOrder;
    readonly after: Position | undefined;
    readonly limit: number;
    readonly range?: IdRange | undefined;
  },
): Promise<Position[]> {
  const { after, range } = params;
  const { sign, direction } = words(params.order);
  const conditions: SQL[] = [];
  if (after) conditions.push(sql`id ${sign} ${idLiteral(after.id)}`);
  if (range) conditions.push(sql`id >= ${idLiteral(range.from)}`, sql`id < ${idLiteral(range.before)}`);
  const behind = conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`;
  const rows = await session.rows<{ id: string }>(
    sql`SELECT CAST(id AS CHAR) AS id FROM ${task} FORCE INDEX (PRIMARY) ${behind}
      ORDER BY ${task.id} ${direction} LIMIT ${count(params.limit)}`,
  );
  return rows.map(({ id }) => ({ id: String(id), key: [] }));
}

/** The next tasks that a bulk action changed, by id along its `idx_result`. Reads the index alone. */
export async function positionsOfBulk(
  session: Session,
  params: {
    readonly bulkId: string;
    readonly order: TaskOrder;
    readonly after: Position | undefined;
    readonly limit: number;
  },
): Promise<Position[]> {
  const { after } = params;
  const { sign, direction } = words(params.order);
  const behind = after ? sql`AND task_id ${sign} ${idLiteral(after.id)}` : sql``;
  const rows = await session.rows<{ id: string }>(
    sql`SELECT CAST(task_id AS CHAR) AS id FROM ${bulkItem} FORCE INDEX (idx_result)
      WHERE bulk_id = ${idLiteral(params.bulkId)} AND result = 'done' ${behind}
      ORDER BY ${bulkItem.taskId} ${direction} LIMIT ${count(params.limit)}`,
  );
  return rows.map(({ id }) => ({ id: String(id), key: [] }));
}

/**
 * Where the tasks of an instant begin in an order: behind it stand, going up, those of that instant or later, going down
 * those of that instant or earlier. Undefined in an order that no time decides.
 */
export async function positionAt(session: Session, order: TaskOrder, at: Date): Promise<Position | undefined> {
  const isUp = order.direction === "asc";
  switch (order.by) {
    case "bizKey":
      return undefined;
    case "due":
      return { id: isUp ? "0" : ID_END, key: [session.zone.format(at)] };
    case "created": {
      const first = await firstIdSince(session, isUp ? at : new Date(at.getTime() + 1));
      return { id: isUp ? (BigInt(first) - 1n).toString() : first, key: [] };
    }
  }
}

/** The next positions along `uk_event_biz`, of one biz key, of a beginning of it, or of all. Reads the index alone. */
export async function positionsByBizKey(
  session: Session,
  params: {
    readonly filter: Pick<TaskFilter, "bizKey" | "bizKeyPrefix">;
    readonly order: TaskOrder;
    readonly after: Position | undefined;
    readonly limit: number;
  },
): Promise<Position[]> {
  const { bizKey, bizKeyPrefix } = params.filter;
  const { sign, direction } = words(params.order);
  const [keyBefore, typeBefore] = params.after?.key ?? [];
  const conditions: SQL[] = [];
  if (bizKey !== undefined) conditions.push(sql`biz_key = ${bizKey}`);
  if (bizKeyPrefix !== undefined) conditions.push(sql`biz_key LIKE ${likePrefix(bizKeyPrefix)}`);
  if (keyBefore !== undefined) {
    conditions.push(
      sql`(biz_key ${sign} ${keyBefore} OR (biz_key = ${keyBefore} AND event_type ${sign} ${typeBefore ?? ""}))`,
    );
  }
  const where = conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`;
  const rows = await session.rows<{ id: string; biz_key: string; event_type: string }>(
    sql`SELECT CAST(id AS CHAR) AS id, biz_key, event_type FROM ${task} FORCE INDEX (uk_event_biz) ${where}
      ORDER BY ${bizKey === undefined ? sql`${task.bizKey} ${direction}, ` : sql``}${task.eventType} ${direction}
      LIMIT ${count(params.limit)}`,
  );
  return rows.map((row) => ({ id: String(row.id), key: [row.biz_key, row.event_type] }));
}

/** The next positions of several (type, status) pairs, each along `idx_claim`, in one statement. Reads the index alone. */
export async function positionsByDueTime(
  session: Session,
  params: { readonly filter: TaskFilter; readonly order: TaskOrder; readonly wanted: readonly Fetch<Branch>[] },
): Promise<Position[][]> {
  const { sign, direction } = words(params.order);
  const bounds = dueTimeConditions(session, params.filter).map((bound) => sql`AND ${bound}`);
  const selects = params.wanted.map(({ branch, after, limit }, at) => {
    const [dueTime] = after?.key ?? [];
    const behind =
      after && dueTime !== undefined
        ? sql`AND (next_retry_time ${sign} ${dueTime} OR (next_retry_time = ${dueTime} AND id ${sign} ${idLiteral(after.id)}))`
        : sql``;
    return sql`(SELECT ${sql.raw(String(at))} AS branch, CAST(id AS CHAR) AS id, next_retry_time FROM ${task} FORCE INDEX (idx_claim)
      WHERE event_type = ${branch.eventType} AND status = ${STATUS_CODE[branch.status]} ${sql.join(bounds, sql` `)} ${behind}
      ORDER BY next_retry_time ${direction}, ${task.id} ${direction} LIMIT ${count(limit)})`;
  });
  const found: Position[][] = params.wanted.map(() => []);
  if (selects.length === 0) return found;
  const rows = await session.rows<{ branch: number; id: string; next_retry_time: string }>(
    sql.join(selects, sql` UNION ALL `),
  );
  for (const row of rows) found[Number(row.branch)]?.push({ id: String(row.id), key: [row.next_retry_time] });
  // A union keeps the order of each part in practice, but does not promise it.
  const compare = params.order.direction === "asc" ? byDueTime : (a: Position, b: Position) => byDueTime(b, a);
  for (const positions of found) positions.sort(compare);
  return found;
}

function words({ direction }: TaskOrder): { readonly sign: SQL; readonly direction: SQL } {
  return direction === "asc"
    ? { sign: sql.raw(">"), direction: sql.raw("ASC") }
    : { sign: sql.raw("<"), direction: sql.raw("DESC") };
}

function count(limit: number): SQL {
  return sql.raw(String(Math.max(1, Math.trunc(limit))));
}

function byId(a: Position, b: Position): number {
  const [first, second] = [BigInt(a.id), BigInt(b.id)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function byDueTime(a: Position, b: Position): number {
  const [first = "", second = ""] = [a.key[0], b.key[0]];
  if (first !== second) return first < second ? -1 : 1;
  return byId(a, b);
}
