import { sql } from "drizzle-orm";
import { bulkItem } from "../schema/bulk.ts";
import { task } from "../schema/task.ts";
import { idLiteral, idRows, type Session } from "../session.ts";
import { type BulkScope, matchesScope, walkedStatus } from "./bulk-scope.ts";
import { BATCH_ROWS_MAX } from "./claim-tasks.ts";

/** How far an action has come among its tasks. */
export type BulkCursor =
  | { readonly kind: "range"; readonly type: number; readonly due?: string; readonly id?: string }
  | { readonly kind: "ids"; readonly next: number }
  | { readonly kind: "items"; readonly id: string }
  /** Among archived tasks, for a replay. */
  | { readonly kind: "archive"; readonly lane: number; readonly at?: string; readonly id?: string };

/** A task that matched when it was read, and where the walk stands once it has been dealt with. */
export interface BulkCandidate {
  readonly id: string;
  readonly cursor: BulkCursor;
}

export interface CandidatePage {
  readonly candidates: readonly BulkCandidate[];
  /** Where the next page begins; undefined: that was the last. */
  readonly next: BulkCursor | undefined;
}

/** Index entries that one look passes over at most, however few of them match. */
export const CANDIDATE_ROWS_MAX = 1_000;

/** Where a walk over the tasks of a filter begins. */
export function firstCursor({ filter }: BulkScope): BulkCursor {
  if (filter.bulkId !== undefined) return { kind: "items", id: "0" };
  return filter.ids === undefined ? { kind: "range", type: 0 } : { kind: "ids", next: 0 };
}

/**
 * The next tasks that match, without a lock: along `idx_claim` type by type, over the given ids, or over what another
 * action changed. One call is bounded work; a page may be empty and still have a next one.
 */
export async function listCandidates(session: Session, scope: BulkScope, cursor: BulkCursor): Promise<CandidatePage> {
  switch (cursor.kind) {
    case "range":
      return listOfType(session, scope, cursor);
    case "ids":
      return listGiven(scope, cursor);
    case "items":
      return listItemsOf(session, scope, cursor);
    case "archive":
      throw new RangeError("live tasks are not found by a cursor among archived ones");
  }
}

async function listOfType(
  session: Session,
  scope: BulkScope,
  cursor: Extract<BulkCursor, { kind: "range" }>,
): Promise<CandidatePage> {
  const { eventTypes } = scope.filter;
  const eventType = eventTypes[cursor.type];
  if (eventType === undefined) return { candidates: [], next: undefined };
  const after =
    cursor.due === undefined || cursor.id === undefined
      ? sql``
      : sql`AND (t.next_retry_time > ${cursor.due} OR (t.next_retry_time = ${cursor.due} AND t.id > ${idLiteral(cursor.id)}))`;
  const rows = await session.rows<{ id: string; due: string; matches: number | string }>(
    sql`SELECT CAST(t.id AS CHAR) AS id, CAST(t.next_retry_time AS CHAR) AS due, (${matchesScope(session, scope)}) AS matches
      FROM ${task} AS t FORCE INDEX (idx_claim) WHERE t.event_type = ${eventType} AND t.status = ${walkedStatus(scope.filter)} ${after}
      ORDER BY t.next_retry_time, t.id LIMIT ${sql.raw(String(CANDIDATE_ROWS_MAX))}`,
  );
  const last = rows.at(-1);
  const isLastOfType = rows.length < CANDIDATE_ROWS_MAX || last === undefined;
  const nextType = cursor.type + 1 < eventTypes.length ? { kind: "range", type: cursor.type + 1 } : undefined;
  return {
    candidates: rows
      .filter(({ matches }) => Number(matches) === 1)
      .map(({ id, due }) => ({ id, cursor: { kind: "range", type: cursor.type, due, id } })),
    next: isLastOfType
      ? (nextType as BulkCursor | undefined)
      : { kind: "range", type: cursor.type, due: last.due, id: last.id },
  };
}

/** Given ids are looked at under the lock only, so that each of them is told of, whatever became of it. */
function listGiven({ filter }: BulkScope, cursor: Extract<BulkCursor, { kind: "ids" }>): CandidatePage {
  const ids = filter.ids ?? [];
  const end = Math.min(ids.length, cursor.next + BATCH_ROWS_MAX);
  return {
    candidates: ids
      .slice(cursor.next, end)
      .map((id, at) => ({ id, cursor: { kind: "ids", next: cursor.next + at + 1 } })),
    next: end < ids.length ? { kind: "ids", next: end } : undefined,
  };
}

/** What another action changed, by task id; whether a task still matches is decided under the lock. */
async function listItemsOf(
  session: Session,
  { filter }: BulkScope,
  cursor: Extract<BulkCursor, { kind: "items" }>,
): Promise<CandidatePage> {
  const rows = await session.rows<{ id: string }>(
    sql`SELECT CAST(task_id AS CHAR) AS id FROM ${bulkItem} FORCE INDEX (idx_result)
      WHERE bulk_id = ${idLiteral(filter.bulkId ?? "0")} AND result = 'done' AND task_id > ${idLiteral(cursor.id)}
      ORDER BY task_id LIMIT ${sql.raw(String(CANDIDATE_ROWS_MAX))}`,
  );
  const last = rows.at(-1);
  return {
    candidates: rows.map(({ id }) => ({ id, cursor: { kind: "items", id } })),
    next: rows.length < CANDIDATE_ROWS_MAX || last === undefined ? undefined : { kind: "items", id: last.id },
  };
}

/**
 * Those of the candidates of another action's items that match the filter at this moment. A new action over these would
 * otherwise report each task that needs nothing as left alone.
 */
export async function narrowCandidates(
  session: Session,
  scope: BulkScope,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await session.rows<{ id: string }>(
    sql`SELECT CAST(t.id AS CHAR) AS id FROM ${idRows(ids)} AS list STRAIGHT_JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id
      WHERE ${matchesScope(session, scope)}`,
  );
  return new Set(rows.map(({ id }) => id));
}
