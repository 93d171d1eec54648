import type { Session } from "../session.ts";
import { readDatabaseNow } from "./database-now.ts";
import { knownEventTypes } from "./known-event-types.ts";
import type { IdRange } from "./find-id-by-time.ts";
import { readListRows, ROWS_PER_READ, type TaskListRow } from "./list-rows.ts";
import type { Position } from "./merge-positions.ts";
import type { ReadPace } from "./read-pace.ts";
import type { TaskFilter } from "./task-filter.ts";
import { mustLookAtRows, positionsOf, reversed, type TaskOrder } from "./task-order.ts";

/** Where a page begins: behind a position, or before it, which is the way back. */
export interface TaskListCursor {
  readonly side: "after" | "before";
  readonly position: Position;
}

export interface TaskSearchPage {
  /** The database's clock. */
  readonly asOf: Date;
  readonly items: readonly TaskListRow[];
  /** Leads to what stands before this page at any time, new rows too; undefined on a page without rows. */
  readonly startCursor: TaskListCursor | undefined;
  readonly nextCursor: TaskListCursor | undefined;
  readonly prevCursor: TaskListCursor | undefined;
  /** Rows that were looked at. */
  readonly scanned: number;
  /** False: the page is short because its rows or its time were used up. */
  readonly exhausted: boolean;
  /** If not exhausted: the cursor of this side goes on from where looking ended. */
  readonly searchOn: "next" | "prev" | undefined;
}

/** A search within payloads: over a range of ids, in their order. */
export interface PayloadSearch {
  readonly text: string;
  /** Larger payloads are passed over. */
  readonly bytesMax: number;
  readonly range: IdRange;
  /** Which of these tasks, whose stored payload holds the text, may be known to hold it. */
  readonly admit: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** Rows that a page looks at, at most, where no index decides which belong to its filter. */
export const SCAN_ROWS_MAX = 8_000;

const UNHURRIED: Pick<ReadPace, "next"> = { next: () => ROWS_PER_READ };

interface Walk {
  readonly found: readonly { readonly position: Position; readonly row: TaskListRow }[];
  readonly first: Position | undefined;
  readonly last: Position | undefined;
  readonly scanned: number;
  readonly end: "page full" | "no more" | "stopped";
}

/**
 * One page of a filter's tasks in an order, with the id as tiebreak: rows neither repeat nor vanish over pages, forwards
 * and back, while others come and go. Positions come from an index alone and rows by primary key; where no index holds
 * the filter's columns it looks at no more than `scanMax` rows, and at these for no longer than `pace` allows, and says
 * where it stopped. Limit 1 to 500.
 */
export async function searchTasks(
  session: Session,
  params: {
    readonly filter: TaskFilter;
    readonly order: TaskOrder;
    readonly limit: number;
    readonly cursor?: TaskListCursor | undefined;
    readonly scanMax?: number;
    /** Asked how many rows the next read may look at, where rows must be looked at; left out: 200 each time. */
    readonly pace?: ReadPace | undefined;
    readonly payload?: PayloadSearch | undefined;
  },
): Promise<TaskSearchPage> {
  const { filter, order, cursor, payload } = params;
  const limit = Math.max(1, Math.min(500, Math.trunc(params.limit)));
  const isBackwards = cursor?.side === "before";
  const asOf = await readDatabaseNow(session);
  const walk = await walkPositions(session, {
    filter,
    order: isBackwards ? reversed(order) : order,
    after: cursor?.position,
    limit,
    scanMax: Math.max(limit + 1, params.scanMax ?? SCAN_ROWS_MAX),
    pace: params.pace,
    payload,
  });
  const page = walk.found.slice(0, limit);
  const farthest = walk.end === "page full" ? page.at(-1)?.position : walk.last;
  const onwards = walk.end === "no more" ? undefined : farthest;
  // From the first position looked at, not the first shown: nothing between the two belongs to the filter.
  const back = cursor && walk.first;
  const items = page.map(({ row }) => row);
  const first = page[isBackwards ? page.length - 1 : 0];
  return {
    asOf,
    items: isBackwards ? items.reverse() : items,
    startCursor: first && { side: "before", position: first.position },
    nextCursor: cursorOf("after", isBackwards ? back : onwards),
    prevCursor: cursorOf("before", isBackwards ? onwards : back),
    scanned: walk.scanned,
    exhausted: walk.end !== "stopped",
    searchOn: walk.end !== "stopped" ? undefined : isBackwards ? "prev" : "next",
  };
}

function cursorOf(side: TaskListCursor["side"], position: Position | undefined): TaskListCursor | undefined {
  return position && { side, position };
}

async function walkPositions(
  session: Session,
  params: {
    readonly filter: TaskFilter;
    readonly order: TaskOrder;
    readonly after: Position | undefined;
    readonly limit: number;
    readonly scanMax: number;
    readonly pace: ReadPace | undefined;
    readonly payload: PayloadSearch | undefined;
  },
): Promise<Walk> {
  const { filter, order, limit, payload } = params;
  const looksAtRows = payload !== undefined || mustLookAtRows(filter, order);
  const pace = looksAtRows ? (params.pace ?? UNHURRIED) : { next: () => limit + 1 };
  const eventTypes = order.by === "due" ? (filter.eventTypes ?? (await knownEventTypes(session))) : [];
  const source = positionsOf(session, {
    filter,
    order,
    after: params.after,
    eventTypes,
    expected: looksAtRows ? ROWS_PER_READ : limit + 1,
    range: payload?.range,
  });
  const found: { position: Position; row: TaskListRow }[] = [];
  const seen = new Set<string>();
  let first: Position | undefined;
  let last: Position | undefined;
  let scanned = 0;
  for (;;) {
    const count = Math.min(pace.next(), params.scanMax - scanned);
    if (count === 0) return { found, first, last, scanned, end: "stopped" };
    const positions = await source.next(count);
    const rows = await readListRows(
      session,
      positions.map(({ id }) => id),
      filter,
      payload,
    );
    const admitted = payload && rows.size > 0 ? await payload.admit([...rows.keys()]) : undefined;
    for (const position of positions) {
      first ??= position;
      const row = admitted?.has(position.id) === false ? undefined : rows.get(position.id);
      // A task that moved while its branches were read one after another has two positions.
      if (row && !seen.has(position.id)) found.push({ position, row });
      seen.add(position.id);
      if (found.length > limit) return { found, first, last, scanned, end: "page full" };
      last = position;
      scanned++;
    }
    if (positions.length < count) return { found, first, last, scanned, end: "no more" };
  }
}
