import "server-only";
import { firstIdSince, type IdRange } from "../../db/queries/find-id-by-time.ts";
import { PAYLOADS_PER_READ, readPayloads, ROWS_PER_READ } from "../../db/queries/list-rows.ts";
import { type LookTime, ReadPace } from "../../db/queries/read-pace.ts";
import { searchTasks, type TaskSearchPage } from "../../db/queries/search-tasks.ts";
import type { TaskOrder } from "../../db/queries/task-order.ts";
import type { Session } from "../../db/session.ts";
import { withStatementLimit } from "../../db/statement-limit.ts";
import { consoleDatabase } from "./database.ts";
import { cursorAt } from "./cursor-at.ts";
import { decodeListCursor } from "./list-cursor.ts";
import { redactJson } from "./redact.ts";
import { withMaskedHead } from "./mask-head.ts";
import { readRedactPaths } from "./redact-paths.ts";
import type { TaskFilter } from "./task-filter.ts";

/** Larger payloads are passed over: each that holds the text is masked before it counts. */
export const SEARCHED_BYTES_MAX = 64 * 1024;
/** The longest time of one of its statements, each of which looks at 200 rows at most. */
const STATEMENT_MS = 5_000;
/** After this time the page ends where it is. To find the ids of the range costs each page anew: hence more than a list has. */
const LOOK_MS = 400;
/** Rows of the first read: at the speed of a slow disk a part of that time. */
const FIRST_ROWS = 100;
/** Ids and times of creation rise together but for the length of a statement; exact times are compared row by row. */
const SPARE_MS = 60_000;

/** A search within payloads goes along the ids: newest first unless oldest first is asked for. */
export function byCreation(asked: TaskOrder | undefined): TaskOrder {
  return { by: "created", direction: asked?.by === "created" ? asked.direction : "desc" };
}

/**
 * One page of the tasks of one event type and a range of creation whose payload holds a text. It looks at the rows of the
 * range's ids, at most 8,000 and for some 400 ms, and says how many. What is masked, hidden or larger than 64 KiB is not
 * found: a search must not tell what the page does not. Ends between two statements once `signal` is aborted.
 */
export async function searchPayloads(
  filter: TaskFilter,
  order: TaskOrder,
  params: {
    readonly payload: string;
    readonly limit: number;
    readonly cursor?: string | undefined;
    readonly at?: Date | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly lookTime?: LookTime | undefined;
  },
): Promise<TaskSearchPage> {
  const { payload: text, limit, signal } = params;
  const known = params.cursor === undefined ? undefined : decodeListCursor(params.cursor, filter, order, text);
  const time = params.lookTime ?? { budgetMs: LOOK_MS, nowMs: () => performance.now() };
  return consoleDatabase().use((session) =>
    withStatementLimit(session, STATEMENT_MS, async () => {
      const cursor = known ?? (await cursorAt(session, order, params.at));
      const range = await rangeOf(session, filter);
      const paths = await readRedactPaths(session, filter.eventTypes?.[0] ?? "");
      const isGivenUp = () => signal?.aborted === true;
      const page = await searchTasks(session, {
        ...{ filter, order, cursor, limit },
        pace: new ReadPace({ ...time, firstRows: FIRST_ROWS, rowsMax: ROWS_PER_READ, isGivenUp }),
        payload: { text, bytesMax: SEARCHED_BYTES_MAX, range, admit: (ids) => shownToHold(session, ids, text, paths) },
      });
      return { ...page, items: page.items.map(withMaskedHead) };
    }),
  );
}

async function rangeOf(session: Session, { createdFrom, createdTo }: TaskFilter): Promise<IdRange> {
  const spared = (at: Date | undefined, ms: number) => firstIdSince(session, new Date((at?.getTime() ?? 0) + ms));
  return { from: await spared(createdFrom, -SPARE_MS), before: await spared(createdTo, SPARE_MS) };
}

/** Of these tasks those whose payload holds the text as it is shown to anyone. */
async function shownToHold(
  session: Session,
  ids: readonly string[],
  text: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let start = 0; start < ids.length; start += PAYLOADS_PER_READ) {
    const payloads = await readPayloads(session, ids.slice(start, start + PAYLOADS_PER_READ), SEARCHED_BYTES_MAX);
    for (const [id, payload] of payloads) {
      if (redactJson(payload, paths)?.text.includes(text)) found.add(id);
    }
  }
  return found;
}
