import type { TaskPage } from "../../_server/list-tasks.ts";
import { type ListView, pagePath } from "./list-view.ts";

/** Rows that a page looks at by itself until a person tells it to search on. */
export const LOOKED_ROWS_MAX = 8_000;
/** The same within payloads: who searches there has said in which day. */
export const SEARCHED_ROWS_MAX = 20_000;

/**
 * The page that a view shows. Where rows must be looked at, one answer comes only as far as its time allows: each further
 * one goes on where the one before ended, until the page is full, the list has ended or enough rows were looked at.
 * `onPart` is told what there is of a page that is not whole yet.
 */
export async function readPage(
  view: ListView,
  { read, onPart }: { readonly read: (path: string) => Promise<TaskPage>; readonly onPart: (page: TaskPage) => void },
): Promise<TaskPage> {
  const limit = Number(view.limit);
  const rowsMax = view.filter.payload === undefined ? LOOKED_ROWS_MAX : SEARCHED_ROWS_MAX;
  let page = await read(pagePath(view));
  for (;;) {
    const cursor = onwardCursor(page);
    if (cursor === undefined || page.items.length >= limit || page.scanned >= rowsMax) return page;
    onPart(page);
    const rest = { ...view, cursor, limit: String(limit - page.items.length) };
    page = joined(page, await read(pagePath(rest)));
  }
}

/** Where looking goes on; undefined if it came to an end. */
export function onwardCursor(page: TaskPage): string | undefined {
  if (page.searchOn === undefined) return undefined;
  return page.searchOn === "next" ? page.nextCursor : page.prevCursor;
}

/** A part of a page and the one that goes on behind it, or before it on the way back. */
function joined(page: TaskPage, more: TaskPage): TaskPage {
  const known = new Set(page.items.map(({ id }) => id));
  // A task that moved on in the order meanwhile is met again.
  const news = more.items.filter(({ id }) => !known.has(id));
  const sums = {
    scanned: page.scanned + more.scanned,
    searchedMs: more.searchedMs === undefined ? undefined : (page.searchedMs ?? 0) + more.searchedMs,
  };
  return page.searchOn === "prev"
    ? {
        ...{ ...more, ...sums, items: [...news, ...page.items] },
        ...{ startCursor: more.startCursor ?? page.startCursor, nextCursor: page.nextCursor },
      }
    : {
        ...{ ...more, ...sums, items: [...page.items, ...news] },
        ...{ startCursor: page.startCursor ?? more.startCursor, prevCursor: page.prevCursor },
      };
}
