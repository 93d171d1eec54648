import { describe, expect, it } from "vitest";
import { keepRows } from "./keep-rows.ts";

const rows = (ids: string) => [...ids].map((id) => ({ id }));
const shown = (list: readonly { id: string }[]) => list.map(({ id }) => id).join("");

describe("keepRows", () => {
  it.each([
    ["follows the refreshed list when nothing is kept", "abc", "bcd", "", "bcd"],
    ["keeps a dropped row at its place", "abcd", "abd", "c", "abcd"],
    ["keeps it behind the nearest row that is left", "abcd", "ad", "c", "acd"],
    ["keeps the first row at the top", "abc", "bc", "a", "abc"],
    ["keeps neighbours in their order", "abcd", "ad", "bc", "abcd"],
    ["shows a kept row once when it is still listed", "abc", "abc", "b", "abc"],
    ["keeps the only row", "a", "", "a", "a"],
  ])("%s", (_, previous, refreshed, kept, expected) => {
    const result = keepRows(rows(previous), rows(refreshed), new Map([...kept].map((id) => [id, true])));
    expect(shown(result)).toBe(expected);
  });
});
