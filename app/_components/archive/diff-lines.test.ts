import fc from "fast-check";
import { expect, it } from "vitest";
import { diffLines } from "./diff-lines.ts";

it("shows what changed with three lines around", () => {
  const before = Array.from({ length: 12 }, (_, n) => `line ${n}`);
  const after = before.with(6, "changed");
  expect(diffLines(before.join("\n"), after.join("\n"))?.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    ...["same line 3", "same line 4", "same line 5", "removed line 6", "added changed"],
    ...["same line 7", "same line 8", "same line 9"],
  ]);
  expect(diffLines("a\nb", "a\nb")).toEqual([]);
  expect(diffLines("a", Array(2_000).fill("b").join("\n"))).toBeUndefined();
});

it("removes lines of the old text and adds lines of the new one, in their order", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after) ?? [];
      const without = (kind: string) => lines.filter((line) => line.kind !== kind).map((line) => line.text);
      // In texts this short a single change keeps every line in view.
      if (lines.length === 0) expect(after).toBe(before);
      else if (lines.length >= Math.max(before.split("\n").length, after.split("\n").length)) {
        expect(without("added").join("\n")).toBe(before);
        expect(without("removed").join("\n")).toBe(after);
      }
    }),
  );
});
