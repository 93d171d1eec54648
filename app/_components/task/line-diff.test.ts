import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineDiff } from "./line-diff.ts";

const side = (kind: "removed" | "added", lines: ReturnType<typeof lineDiff>) =>
  lines.filter((line) => line.kind === "same" || line.kind === kind).map(({ text }) => text);

describe("lineDiff", () => {
  it("tells what was removed and what was added, in place", () => {
    expect(lineDiff("a\nb\nc", "a\nx\nc").map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "same a",
      "removed b",
      "added x",
      "same c",
    ]);
  });

  it("holds both texts whole, and nothing but sameness for the same", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 }).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after);
        return (
          side("removed", lines).join("\n") === before &&
          side("added", lines).join("\n") === after &&
          (before !== after || lines.every(({ kind }) => kind === "same"))
        );
      }),
    );
  });
});
