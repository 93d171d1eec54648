import type { TaskCursor } from "../../db/queries/list-tasks.ts";
import { isStoredTime } from "./instant-input.ts";

const SHAPE = /^([^|]+)\|([1-9]\d{0,18})$/;

/** The cursor as opaque text for an address. */
export function encodeCursor(cursor: TaskCursor): string {
  return Buffer.from(`${cursor.dueTime}|${cursor.id}`).toString("base64url");
}

/** The cursor that a text names, or undefined if it is none. */
export function decodeCursor(text: string): TaskCursor | undefined {
  const match = SHAPE.exec(Buffer.from(text, "base64url").toString("utf8"));
  const [, dueTime, id] = match ?? [];
  return dueTime !== undefined && id !== undefined && isStoredTime(dueTime) ? { dueTime, id } : undefined;
}
