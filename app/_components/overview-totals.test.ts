import { describe, expect, it } from "vitest";
import type { Overview, TypeOverview } from "../_server/count-tasks.ts";
import { totalsOf, verdictOf, worstFirst } from "./overview-totals.ts";

function type(eventType: string, counts: Partial<TypeOverview> = {}): TypeOverview {
  return { eventType, paused: false, pending: 0, running: 0, failed: 0, recycled24h: 0, oldestDueAgeMs: 0, ...counts };
}

function overview(eventTypes: TypeOverview[], alive = 1): Overview {
  return { asOf: "", database: "", countMax: 10_000, eventTypes, workers: { alive, registered: alive } };
}

describe("totalsOf", () => {
  it("adds up the types and says where a count is only a lower bound", () => {
    const totals = totalsOf(
      overview([
        type("A", { pending: 10_000, failed: 9_999, oldestDueAgeMs: 5 }),
        type("B", { pending: 1, failed: 1, recycled24h: 12_000, oldestDueAgeMs: 7 }),
      ]),
    );
    expect(totals).toMatchObject({ pending: 10_001, failed: 10_000, recycled24h: 12_000, oldestDueAgeMs: 7 });
    expect(totals.isCapped).toEqual({ pending: true, running: false, failed: false, recycled24h: false });
  });

  it("is all zero without a type", () => {
    expect(totalsOf(overview([]))).toMatchObject({
      pending: 0,
      running: 0,
      failed: 0,
      recycled24h: 0,
      oldestDueAgeMs: 0,
    });
  });
});

describe("worstFirst", () => {
  it("orders by failed, then recycled, then name", () => {
    const types = [type("B"), type("A"), type("D", { recycled24h: 1 }), type("C", { failed: 1 })];
    expect(worstFirst(types).map(({ eventType }) => eventType)).toEqual(["C", "D", "A", "B"]);
  });
});

describe("verdictOf", () => {
  it.each([
    ["no_worker", overview([type("A", { failed: 3 })], 0)],
    ["failed", overview([type("A", { failed: 1 })])],
    ["calm", overview([type("A", { pending: 5, recycled24h: 2 })])],
    ["calm", overview([], 0)],
  ])("is %s", (verdict, given) => {
    expect(verdictOf(given)).toBe(verdict);
  });
});
