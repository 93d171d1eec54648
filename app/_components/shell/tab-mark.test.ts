import { describe, expect, it } from "vitest";
import { overview, type } from "../dashboard/testing/overview.ts";
import { THRESHOLDS } from "../dashboard/thresholds.ts";
import { TAB_ICONS } from "./tab-icons.ts";
import { markedTitle, tabMark } from "./tab-mark.ts";

const markOf = (...given: Parameters<typeof overview>) =>
  tabMark({ overview: overview(...given), trends: undefined, isFailing: false });

describe("the mark of a tab", () => {
  const late = { oldestDueAgeMs: THRESHOLDS.lateMs };

  it.each([
    [markOf([type("A")]), "calm", ""],
    [markOf([type("A", { failed: 2 }), type("B", { failed: 1 })]), "attention", "(3)"],
    [markOf([type("A", { failed: 1_000 })]), "attention", "(999+)"],
    [markOf([type("A", { failed: 7 }), type("B", late)]), "attention", "(2)"],
    [markOf([type("(9) <b>", { oldestDueAgeMs: THRESHOLDS.veryLateMs })]), "act", "(!)"],
    [markOf([type("A")], 0), "act", "(!)"],
    [tabMark({ overview: undefined, trends: undefined, isFailing: true }), "unknown", "(?)"],
    [tabMark({ overview: undefined, trends: undefined, isFailing: false }), "calm", ""],
  ] as const)("%# tells the verdict, and nothing of what event types are called", (mark, level, text) => {
    expect(mark).toEqual({ level, text });
  });

  it("takes the place of the one before", () => {
    expect(markedTitle("Tasks · Redrive", "(2)")).toBe("(2) Tasks · Redrive");
    expect(markedTitle("(2) Tasks · Redrive", "(999+)")).toBe("(999+) Tasks · Redrive");
    expect(markedTitle("(!) Tasks · Redrive", "")).toBe("Tasks · Redrive");
    expect(markedTitle("(?) 任务 · Redrive", "(!)")).toBe("(!) 任务 · Redrive");
  });

  it("has an icon of its own for each level but the calm one", () => {
    expect(new Set(Object.values(TAB_ICONS)).size).toBe(3);
    expect(TAB_ICONS.calm).toBeUndefined();
  });
});
