import * as z from "zod";
import type { TaskListCursor } from "../../db/queries/search-tasks.ts";
import { ORDER_COLUMNS, type OrderColumn, type TaskOrder } from "../../db/queries/task-order.ts";
import type { TaskFilter } from "../../db/queries/task-filter.ts";
import { ConsoleError } from "./console-error.ts";
import { isStoredTime } from "./instant-input.ts";
import { filterHash } from "./task-filter.ts";
import { taskId } from "./task-input.ts";

const SHAPE = z.tuple([z.string(), z.enum(["after", "before"]), taskId, z.array(z.string().max(200)).max(2)]);
const KEY_PARTS = { created: 0, due: 1, bizKey: 2 } as const satisfies Record<OrderColumn, number>;

/** A cursor as opaque text for an address; it holds for this filter, this order and this search within payloads only. */
export function encodeListCursor(
  cursor: TaskListCursor,
  filter: TaskFilter,
  order: TaskOrder,
  payload?: string,
): string {
  const { side, position } = cursor;
  return Buffer.from(JSON.stringify([hashOf(filter, order, payload), side, position.id, position.key])).toString(
    "base64url",
  );
}

/**
 * The place that a cursor names.
 * @throws ConsoleError cursor_of_other_list if it was made for another filter or order, invalid_input if it is none.
 */
export function decodeListCursor(text: string, filter: TaskFilter, order: TaskOrder, payload?: string): TaskListCursor {
  const [hash, side, id, key] = parse(text);
  if (hash !== hashOf(filter, order, payload)) {
    throw new ConsoleError("cursor_of_other_list", "the cursor belongs to another filter or order; begin without one");
  }
  if (key.length !== KEY_PARTS[order.by] || (order.by === "due" && !isStoredTime(key[0] ?? ""))) throw notACursor();
  return { side, position: { id, key } };
}

function hashOf(filter: TaskFilter, order: TaskOrder, payload: string | undefined): string {
  const more = payload === undefined ? [] : [payload];
  return filterHash(filter, [ORDER_COLUMNS.indexOf(order.by), order.direction, ...more]);
}

function parse(text: string): z.output<typeof SHAPE> {
  try {
    return SHAPE.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch {
    throw notACursor();
  }
}

function notACursor(): ConsoleError {
  return new ConsoleError("invalid_input", "the cursor is not one of this list", {
    details: { problems: [{ path: "cursor", message: "is not a cursor of this list" }] },
  });
}
