/** The columns of the list beside selection, state and actions, in their order. */
export const COLUMNS = [
  ...(["eventType", "bizKey", "id", "attempts", "error", "time", "worker", "updated"] as const),
  ...(["created", "strategy", "interval", "recycled", "trace", "origin"] as const),
];
export type Column = (typeof COLUMNS)[number];

export const DEFAULT_COLUMNS: readonly Column[] = [
  ...(["eventType", "bizKey", "attempts", "error", "time", "worker", "updated"] as const),
];

/** The columns that the address names, or the usual ones. The biz key leads to the task and is always there. */
export function columnsOf(text: string | undefined): readonly Column[] {
  if (text === undefined) return DEFAULT_COLUMNS;
  const named = new Set(text.split(","));
  return COLUMNS.filter((column) => column === "bizKey" || named.has(column));
}

/** For the address; null for the usual ones. */
export function columnsText(columns: readonly Column[]): string | null {
  const text = COLUMNS.filter((column) => columns.includes(column)).join(",");
  return text === DEFAULT_COLUMNS.join(",") ? null : text;
}
