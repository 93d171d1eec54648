import { describe, expect, it } from "vitest";
import { checksOf, type Limits, lineOf } from "./guard-checks.ts";
import type { Result } from "./run-rounds.ts";

const one = (median: number) => ({ median, min: median, max: median });
const result: Result = {
  scenario: "drain",
  rounds: 3,
  compared: "perSecond",
  contestants: {
    redrive: { nodeCpuPer1k: one(0.1), statementsPerTask: one(0.026) },
    article: { nodeCpuPer1k: one(0.2) },
  },
  ratios: { article: one(2) },
  leftOut: {},
};
const limits: Limits = {
  ratiosAtLeast: { article: 2 },
  cpuRatiosAtMost: { article: 0.5 },
  atMost: { statementsPerTask: 0.026 },
};
const outside = (changed: Partial<Limits>) =>
  checksOf({ ...limits, ...changed }, result)
    .filter(({ isWithin }) => !isWithin)
    .map(({ name }) => name);

describe("checksOf", () => {
  it("accepts what is at its limit", () => {
    expect(outside({})).toEqual([]);
  });

  it.each<[Partial<Limits>, string]>([
    [{ ratiosAtLeast: { article: 2.01 } }, "perSecond, ours by article"],
    [{ cpuRatiosAtMost: { article: 0.49 } }, "CPU a task, ours by article"],
    [{ atMost: { statementsPerTask: 0.0259 } }, "statementsPerTask"],
  ])("tells what is beyond %j", (changed, name) => {
    expect(outside(changed)).toEqual([name]);
  });

  it("takes what was not measured as outside", () => {
    const checks = checksOf({ ...limits, ratiosAtLeast: { bare: 0.1 }, atMost: { commitsPerTask: 1 } }, result);
    expect(checks.filter(({ isWithin }) => !isWithin).map((check) => lineOf("drain", check))).toEqual([
      "OUTSIDE drain: perSecond, ours by bare not measured, at least 0.1",
      "OUTSIDE drain: commitsPerTask not measured, at most 1",
    ]);
  });
});
