import "server-only";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { readProgress, ROWS_PER_READ, type TaskListRow, type TaskProgress } from "../../db/queries/list-rows.ts";
import { type LookTime, ReadPace } from "../../db/queries/read-pace.ts";
import { searchTasks, type TaskSearchPage } from "../../db/queries/search-tasks.ts";
import { type OrderColumn, orderOf, ordersOf, type TaskOrder } from "../../db/queries/task-order.ts";
import { withStatementLimit } from "../../db/statement-limit.ts";
import type { Asker } from "./asker.ts";
import { cursorAt } from "./cursor-at.ts";
import { consoleDatabase } from "./database.ts";
import { isoOf, type WithIsoInstants } from "./iso-instants.ts";
import { decodeListCursor, encodeListCursor } from "./list-cursor.ts";
import type { TaskFilter } from "./task-filter.ts";
import { withMaskedHead } from "./mask-head.ts";
import { byCreation, searchPayloads } from "./search-payloads.ts";

/** A task as a list shows it: ids as text, instants as ISO text, no payload. */
export type TaskItem = WithIsoInstants<TaskListRow>;

export interface TaskPage {
  /** The database's clock when the page was read. */
  readonly asOf: string;
  readonly items: readonly TaskItem[];
  /** Leads to what stands before the page at any time: `GET /api/v1/tasks/newer` counts it. */
  readonly startCursor: string | undefined;
  readonly nextCursor: string | undefined;
  readonly prevCursor: string | undefined;
  /** The order of the rows, and all that this filter can be brought into. */
  readonly order: TaskOrder;
  readonly orders: readonly OrderColumn[];
  /** Rows that were looked at. */
  readonly scanned: number;
  /** False: the page is short because its time, or its limit of rows, was used up while it looked for more. */
  readonly exhausted: boolean;
  /** If not exhausted: the cursor of this side goes on from where looking ended. */
  readonly searchOn: "next" | "prev" | undefined;
  /** How long a search within payloads took; left out without one. */
  readonly searchedMs: number | undefined;
}

/** The longest time of one statement of a list. */
export const LIST_STATEMENT_MS = 2_000;
/**
 * After this time a page that must look at rows ends where it is: in memory it comes to its limit of rows before, and
 * where each row is read from the disk it keeps what a page may take all the same.
 */
export const LIST_LOOK_MS = 80;
const NEWER_MAX = 99;

interface ListParams {
  readonly filter: TaskFilter;
  readonly sort?: TaskOrder | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface PageParams extends ListParams {
  /** Where the page begins if there is no cursor. */
  readonly at?: Date | undefined;
  readonly payload?: string | undefined;
  /** Aborted: nobody waits for the page any more, and no further statement is begun. */
  readonly signal?: AbortSignal | undefined;
  /** Left out: what a page may take, by the clock of the process. */
  readonly lookTime?: LookTime | undefined;
}

/**
 * One page of the tasks of a filter, of the asker's event types. With `payload` those whose payload holds the text where
 * nothing of it is masked, newest first.
 * @throws ConsoleError cursor_of_other_list, out_of_scope, invalid_input for an instant in an order that is not of time.
 */
export async function listTasks(asker: Asker, params: PageParams): Promise<TaskPage> {
  const filter = filterWithin(asker, params.filter);
  const { payload } = params;
  const order = payload === undefined ? orderOf(filter, params.sort) : byCreation(params.sort);
  const startedAt = performance.now();
  const page = await (payload === undefined
    ? search(filter, order, params)
    : searchPayloads(filter, order, { ...params, payload }));
  const text = (cursor: TaskSearchPage["nextCursor"]) => cursor && encodeListCursor(cursor, filter, order, payload);
  return {
    asOf: page.asOf.toISOString(),
    items: page.items.map(isoOf),
    startCursor: text(page.startCursor),
    nextCursor: text(page.nextCursor),
    prevCursor: text(page.prevCursor),
    order,
    orders: payload === undefined ? ordersOf(filter) : [order.by],
    scanned: page.scanned,
    exhausted: page.exhausted,
    searchOn: page.searchOn,
    searchedMs: payload === undefined ? undefined : Math.round(performance.now() - startedAt),
  };
}

export interface NewerTasks {
  readonly count: number;
  /** There are more than were counted. */
  readonly atLeast: boolean;
}

/** How many tasks of the filter now stand before a page, up to 99. */
export async function countNewerTasks(asker: Asker, params: Omit<ListParams, "limit">): Promise<NewerTasks> {
  const filter = filterWithin(asker, params.filter);
  const page = await search(filter, orderOf(filter, params.sort), { ...params, limit: NEWER_MAX });
  return { count: page.items.length, atLeast: page.prevCursor !== undefined };
}

/** What of a task changes while it lives. */
export type TaskProgressItem = Omit<WithIsoInstants<TaskProgress>, "eventType">;

export interface TaskProgressAnswer {
  readonly asOf: string;
  /** Tasks that have left the table are missing. */
  readonly rows: readonly TaskProgressItem[];
}

/** How these tasks stand now; those out of the asker's scope are left out, as if they were not there. */
export async function readTaskProgress(asker: Asker, ids: readonly string[]): Promise<TaskProgressAnswer> {
  return consoleDatabase().use((session) =>
    withStatementLimit(session, LIST_STATEMENT_MS, async () => {
      const asOf = await readDatabaseNow(session);
      const rows = (await readProgress(session, ids)).filter(({ eventType }) => asker.sees(eventType));
      return { asOf: asOf.toISOString(), rows: rows.map(({ eventType: _, ...row }) => isoOf(withMaskedHead(row))) };
    }),
  );
}

/** The filter confined to the asker's event types. @throws ConsoleError out_of_scope if it names another. */
export function filterWithin(asker: Asker, filter: TaskFilter): TaskFilter {
  return { ...filter, eventTypes: asker.typesWithin(filter.eventTypes) };
}

function search(
  filter: TaskFilter,
  order: TaskOrder,
  params: Omit<PageParams, "filter" | "payload">,
): Promise<TaskSearchPage> {
  const { limit, signal } = params;
  const known = params.cursor === undefined ? undefined : decodeListCursor(params.cursor, filter, order);
  const time = params.lookTime ?? { budgetMs: LIST_LOOK_MS, nowMs: () => performance.now() };
  return consoleDatabase().use((session) =>
    withStatementLimit(session, LIST_STATEMENT_MS, async () => {
      const cursor = known ?? (await cursorAt(session, order, params.at));
      const isGivenUp = () => signal?.aborted === true;
      const pace = new ReadPace({ ...time, firstRows: limit + 1, rowsMax: ROWS_PER_READ, isGivenUp });
      const page = await searchTasks(session, { filter, order, cursor, limit, pace });
      return { ...page, items: page.items.map(withMaskedHead) };
    }),
  );
}
