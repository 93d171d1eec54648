import { describe, expect, it } from "vitest";
import type { TypeOverview } from "../../_server/count-tasks.ts";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import type { TypeTrend } from "../../_server/dashboard/trends.ts";
import { overview, type } from "./testing/overview.ts";
import { totalsOf } from "./overview-totals.ts";
import { THRESHOLDS } from "./thresholds.ts";
import { type Concern, typeStates, verdictOf } from "./verdict.ts";

function trends(types: (Partial<TypeTrend> & { eventType: string })[], recycledBefore = 0): DashboardTrends {
  const none = { due: 0, oldestDueAgeMs: 0, running: 0, failed: 0, recycled: 0 };
  return {
    asOf: "",
    sparks: { due: [], oldestDueAgeMs: [], running: [], failed: [], recycled: [] },
    hourAgo: { ...none, recycled: recycledBefore },
    dayAgo: none,
    types: types.map((one) => ({ failShare: null, rejected: 0, drain: null, ...one })),
  };
}

const { lateMs, veryLateMs, failShare, recycled } = THRESHOLDS;

describe("totalsOf", () => {
  it("adds up the types and says where a count is only a lower bound", () => {
    const totals = totalsOf(
      overview([
        type("A", { pending: 10_000, due: 9, failed: 9_999, oldestDueAgeMs: 5, recycled1h: 2 }),
        type("B", { pending: 1, due: 1, failed: 1, recycled1h: 12_000, oldestDueAgeMs: 7 }),
      ]),
    );
    expect(totals).toMatchObject({ pending: 10_001, due: 10, failed: 10_000, recycled1h: 12_002, oldestDueAgeMs: 7 });
    expect(totals.isCapped).toEqual({ pending: true, due: false, running: false, failed: false });
  });

  it("is all zero without a type, and knows no number of recycled tasks that could not be read", () => {
    expect(totalsOf(overview([]))).toMatchObject({ pending: 0, running: 0, failed: 0, recycled1h: 0 });
    expect(totalsOf(overview([type("A", { recycled1h: null })])).recycled1h).toBeNull();
  });
});

describe("typeStates", () => {
  const concernsOf = (given: TypeOverview, trend?: DashboardTrends): readonly Concern[] =>
    typeStates(overview([given]), trend)[0]?.concerns ?? [];

  it.each([
    [type("A", { oldestDueAgeMs: lateMs - 1 }), undefined, []],
    [type("A", { oldestDueAgeMs: lateMs }), undefined, ["late"]],
    [type("A", { oldestDueAgeMs: veryLateMs }), undefined, ["very_late"]],
    [type("A", { oldestDueAgeMs: veryLateMs, paused: true }), undefined, []],
    [type("A", { failed: 1 }), undefined, ["failed"]],
    [type("A", { recycled1h: recycled - 1 }), trends([]), []],
    [type("A", { recycled1h: recycled }), trends([]), ["recycled"]],
    [type("A", { recycled1h: recycled }), trends([], recycled), []],
    [type("A"), trends([{ eventType: "A", rejected: 1 }]), ["rejected"]],
    [type("A"), trends([{ eventType: "A", failShare }]), ["failing"]],
    [type("A"), trends([{ eventType: "A", failShare: failShare - 0.01 }]), []],
  ] as const)("%# names what is wrong from its limit on", (given, trend, concerns) => {
    expect(concernsOf(given, trend)).toEqual(concerns);
  });

  it("orders by the worst concern, then failed, then age, then name", () => {
    const types = [type("B"), type("A"), type("C", { failed: 1 }), type("E", { failed: 2 })];
    types.push(type("D", { oldestDueAgeMs: veryLateMs }), type("F", { oldestDueAgeMs: lateMs }));
    const names = typeStates(overview(types), undefined).map((state) => state.type.eventType);
    expect(names).toEqual(["D", "E", "C", "F", "A", "B"]);
  });
});

describe("verdictOf", () => {
  it.each([
    ["no_worker", overview([type("A", { failed: 3 })], 0)],
    ["failed", overview([type("A", { failed: 1 })])],
    ["attention", overview([type("A", { failed: 1 }), type("B", { oldestDueAgeMs: lateMs })])],
    ["very_late", overview([type("A", { failed: 1 }), type("B", { oldestDueAgeMs: veryLateMs })])],
    ["calm", overview([type("A", { pending: 5, recycled1h: 2 })])],
    ["calm", overview([], 0)],
    ["calm", { ...overview([type("A")]), workers: null }],
  ])("is %s", (kind, given) => {
    expect(verdictOf(given, undefined).kind).toBe(kind);
  });
});
