import { describe, expect, it } from "vitest";
import type { TaskListCursor } from "../../db/queries/search-tasks.ts";
import type { TaskFilter } from "../../db/queries/task-filter.ts";
import type { TaskOrder } from "../../db/queries/task-order.ts";
import { decodeListCursor, encodeListCursor } from "./list-cursor.ts";

const FILTER: TaskFilter = { state: "failed", eventTypes: ["PAY"] };
const ORDER: TaskOrder = { by: "due", direction: "desc" };
const CURSOR: TaskListCursor = {
  side: "after",
  position: { id: "9007199254740993", key: ["2026-01-01 00:00:00.123"] },
};
const text = encodeListCursor(CURSOR, FILTER, ORDER);
const encode = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString("base64url");
const hash = (JSON.parse(Buffer.from(text, "base64url").toString()) as string[])[0];

describe("a cursor of a list", () => {
  it("comes back as it was, with every digit", () => {
    expect(decodeListCursor(text, { ...FILTER }, ORDER)).toEqual(CURSOR);
  });

  it.each([
    ["another state", { ...FILTER, state: "due" }, ORDER],
    ["another type", { ...FILTER, eventTypes: ["SMS"] }, ORDER],
    ["a further condition", { ...FILTER, minAttempts: 3 }, ORDER],
    ["the other direction", FILTER, { by: "due", direction: "asc" }],
  ] as const)("is refused by a list with %s", (_, filter, order) => {
    expect(() => decodeListCursor(text, filter, order)).toThrow(
      expect.objectContaining({ code: "cursor_of_other_list" }),
    );
  });

  it.each([
    ["no text", ""],
    ["no base64", "<script>"],
    ["another shape", encode({})],
    ["a time that is none", encode([hash, "after", "1", ["' OR 1=1"]])],
    ["an id that is none", encode([hash, "after", "1 OR 1=1", ["2026-01-01 00:00:00.000"]])],
    ["too few parts", encode([hash, "after", "1", []])],
  ])("is not %s", (_, other) => {
    expect(() => decodeListCursor(other, FILTER, ORDER)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  });
});
