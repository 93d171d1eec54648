import { describe, expect, it } from "vitest";
import { changesOf } from "./audit-changes.ts";

describe("the change that an entry tells of", () => {
  it("names the fields that differ, by their path, and leaves out those that do not", () => {
    const before = { status: "failed", retry: { count: 8, max: 8 }, gone: 1 };
    const after = { status: "pending", retry: { count: 0, max: 8 }, added: ["a"] };
    expect(changesOf({ before, after }).changes).toEqual([
      { field: "status", before: "failed", after: "pending" },
      { field: "retry.count", before: "8", after: "0" },
      { field: "gone", before: "1", after: undefined },
      { field: "added", before: undefined, after: '["a"]' },
    ]);
  });

  it("is all there is if one side is missing", () => {
    expect(changesOf({ after: { name: "ci" } }).changes).toEqual([{ field: "name", before: undefined, after: "ci" }]);
  });

  it("keeps what stands beside", () => {
    expect(changesOf({ filter: { type: "PAY" }, count: 3 })).toEqual({
      changes: [],
      facts: [
        ["filter.type", "PAY"],
        ["count", "3"],
      ],
    });
  });

  it.each([undefined, null, [], "text", 5, {}, { before: null, after: null }, { before: 1, after: 2 }])(
    "can be read from %j",
    (detail) => {
      expect(() => changesOf(detail)).not.toThrow();
    },
  );
});
