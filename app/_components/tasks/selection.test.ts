import { describe, expect, it } from "vitest";
import { NOTHING_SELECTED, SELECTED_MAX, toggle, togglePage, without } from "./selection.ts";

const rows = ["a", "b", "c", "d"];
const ids = (selection: { ids: ReadonlySet<string> }) => [...selection.ids].sort().join("");

describe("a selection", () => {
  it("takes one in and out", () => {
    const one = toggle(NOTHING_SELECTED, "b", rows, false);
    expect(ids(one)).toBe("b");
    expect(ids(toggle(one, "b", rows, false))).toBe("");
  });

  it("takes a range in, either way, and out again", () => {
    const down = toggle(toggle(NOTHING_SELECTED, "b", rows, false), "d", rows, true);
    expect(ids(down)).toBe("bcd");
    expect(ids(toggle(down, "b", rows, true))).toBe("");
    expect(ids(toggle(toggle(NOTHING_SELECTED, "c", rows, false), "a", rows, true))).toBe("abc");
  });

  it("takes a page in and out, keeps other pages, and loses what is gone", () => {
    const both = togglePage(toggle(NOTHING_SELECTED, "z", rows, false), rows);
    expect(ids(both)).toBe("abcdz");
    expect(ids(togglePage(both, rows))).toBe("z");
    expect(ids(without(both, new Set(["a", "z"])))).toBe("bcd");
    expect(without(both, new Set(["q"]))).toBe(both);
  });

  it("never holds more than its limit", () => {
    const many = Array.from({ length: 300 }, (_, n) => String(n));
    expect(togglePage(NOTHING_SELECTED, many).ids.size).toBe(SELECTED_MAX);
  });
});
