import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_EVENT_TYPE_SETTINGS } from "../../db/event-type-settings.ts";
import { roundOf } from "./rounds.ts";
import { type PlannedTask, planTask } from "./task-plan.ts";

const NOW = new Date("2026-03-01T12:00:00.000Z");
const SETTINGS = { ...DEFAULT_EVENT_TYPE_SETTINGS };
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000).toISOString();
const task = (values: Partial<PlannedTask> = {}): PlannedTask => ({
  status: "pending",
  retryCount: 0,
  maxRetryCount: 4,
  retryStrategy: "EXPONENTIAL",
  firstRetryIntervalSeconds: 10,
  nextRetryAt: new Date(after(30)),
  ...values,
});

describe("planTask", () => {
  it("begins with the due time and goes on by the engine's own waits", () => {
    const plan = planTask(task(), SETTINGS, NOW);
    expect(plan.coming).toEqual([
      { attempt: 1, at: after(30) },
      { attempt: 2, at: after(40) },
      { attempt: 3, at: after(60) },
      { attempt: 4, at: after(100) },
    ]);
    expect(plan).toMatchObject({ lastAt: after(100), roundMs: 70_000, isApproximate: false });
  });

  it("counts an overdue task as due now, and goes on from the failures it has", () => {
    const plan = planTask(task({ retryCount: 2, nextRetryAt: new Date(0) }), SETTINGS, NOW);
    expect(plan.coming).toEqual([
      { attempt: 3, at: after(0) },
      { attempt: 4, at: after(40) },
    ]);
  });

  it("leaves out the attempt that is running", () => {
    const plan = planTask(task({ status: "running", retryCount: 2 }), SETTINGS, NOW);
    expect(plan.coming).toEqual([{ attempt: 4, at: after(40) }]);
    expect(planTask(task({ status: "running", retryCount: 3 }), SETTINGS, NOW)).toMatchObject({ coming: [] });
  });

  it.each(["failed", "succeeded", "cancelled", undefined])("plans nothing for a task that is %s", (status) => {
    expect(planTask(task({ status }), SETTINGS, NOW)).toMatchObject({ coming: [], lastAt: undefined, roundMs: 70_000 });
  });

  it("says that waits are drawn at random", () => {
    expect(planTask(task({ retryStrategy: "RANDOM" }), SETTINGS, NOW).isApproximate).toBe(true);
    expect(planTask(task(), { ...SETTINGS, jitter: 0.1 }, NOW).isApproximate).toBe(true);
  });

  it("is bounded for any row that foreign code may have written, and does not claim an end it did not compute", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5, max: 2_000_000 }),
        fc.integer({ min: -5, max: 2_000_000 }),
        fc.string(),
        (count, max, strategy) => {
          const plan = planTask(
            task({ retryCount: count, maxRetryCount: max, retryStrategy: strategy }),
            SETTINGS,
            NOW,
          );
          const times = plan.coming.map(({ at }) => Date.parse(at));
          return plan.coming.length <= 40 && times.every((at, index) => index === 0 || at > (times[index - 1] ?? 0));
        },
      ),
      { numRuns: 50 },
    );
    expect(planTask(task({ maxRetryCount: 1_000_000 }), SETTINGS, NOW)).toMatchObject({
      lastAt: undefined,
      roundMs: undefined,
    });
  });
});

describe("roundOf", () => {
  it("begins a round with each reset and ends it with its undo", () => {
    const marks = [
      { id: "5", kind: "reset" },
      { id: "9", kind: "undone" },
      { id: "12", kind: "reset" },
    ] as const;
    expect(["1", "5", "7", "9", "10", "12", "9007199254740993"].map((id) => roundOf(id, marks))).toEqual([
      1, 2, 2, 1, 1, 2, 2,
    ]);
  });
});
