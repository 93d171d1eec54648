import type { ArchiveCursor } from "../../db/queries/browse-archive.ts";
import { isStoredTime } from "./instant-input.ts";

const SHAPE = /^(older|newer)\|(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})\|([1-9]\d{0,18})$/;

/** The cursor as opaque text for an address. */
export function encodeArchiveCursor(cursor: ArchiveCursor | undefined): string | undefined {
  return cursor && Buffer.from(`${cursor.direction}|${cursor.archivedTime}|${cursor.id}`).toString("base64url");
}

/** The cursor that a text names, or undefined if it is none. */
export function decodeArchiveCursor(text: string): ArchiveCursor | undefined {
  const [, direction, archivedTime, id] = SHAPE.exec(Buffer.from(text, "base64url").toString("utf8")) ?? [];
  if (direction === undefined || archivedTime === undefined || id === undefined) return undefined;
  if (!isStoredTime(archivedTime)) return undefined;
  return { direction: direction === "older" ? "older" : "newer", archivedTime, id };
}
