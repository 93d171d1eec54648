import { describe, expect, it } from "vitest";
import { judge, type RunFindings } from "./demo-verdict.mjs";

type Task = RunFindings["tasks"][number];

const paid = (id: string, values: Partial<Task> = {}): Task => ({
  id,
  eventType: "PAY_ORDER",
  bizKey: `order-${id}`,
  status: "succeeded",
  retryCount: 0,
  recycleCount: 0,
  finishReason: "success",
  ...values,
});

/** A run in which everything went as it should; `change` spoils it. */
function run(tasks: Task[], change: Partial<RunFindings> = {}) {
  return judge({
    tasksWanted: tasks.length,
    placed: tasks.map(({ bizKey, eventType }) => ({ id: bizKey, eventTypes: [eventType] })),
    tasks,
    orders: tasks.map(({ bizKey, status }) => ({
      id: bizKey,
      state: "placed",
      paidCount: status === "succeeded" ? 1 : 0,
    })),
    calls: tasks.map(({ id, status }) => ({ taskId: id, attempt: 1, status: status === "succeeded" ? 200 : 422 })),
    ...change,
  });
}

describe("judge", () => {
  it("finds nothing wrong when every task ran and ended", () => {
    const { counts, problems } = run([paid("1"), paid("2", { status: "failed", finishReason: "non_retryable" })]);
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ enqueued: 2, succeeded: 1, failed: 1, lost: 0, duplicates: 0 });
  });

  it("calls a task lost that is in no table", () => {
    const { counts, problems } = run([paid("1")], { tasks: [] });
    expect(counts["lost"]).toBe(1);
    expect(problems.join()).toContain("in no table, such as PAY_ORDER/order-1");
  });

  it("calls a task lost that succeeded although the downstream never did its work", () => {
    expect(run([paid("1")], { calls: [{ taskId: "1", attempt: 1, status: 500 }] }).counts["lost"]).toBe(1);
  });

  it("counts retries as no duplicates, for a counted failure is between their calls", () => {
    const calls = [1, 2, 3].map((attempt) => ({ taskId: "1", attempt, status: attempt === 3 ? 200 : 500 }));
    expect(run([paid("1", { retryCount: 2 })], { calls }).counts["duplicates"]).toBe(0);
  });

  it("accepts a repeated call only from a task that was recycled as often", () => {
    const calls = [1, 1].map((attempt) => ({ taskId: "1", attempt, status: 200 }));
    const recycled = run([paid("1", { recycleCount: 1 })], { calls });
    expect(recycled.counts).toMatchObject({ duplicates: 1, duplicatesExplained: 1 });
    expect(recycled.problems).toEqual([]);
    const unexplained = run([paid("1")], { calls });
    expect(unexplained.counts).toMatchObject({ duplicates: 1, duplicatesExplained: 0 });
    expect(unexplained.problems.join()).toContain("without the death of a worker");
  });

  it("sees a task that is in two places, one that is not at its end, and a payment that was booked twice", () => {
    expect(run([paid("1")], { tasks: [paid("1"), paid("1")] }).problems.join()).toContain("two places");
    expect(run([paid("1", { status: "running" })]).problems.join()).toContain("1 running");
    const orders = [{ id: "order-1", state: "paid", paidCount: 2 }];
    expect(run([paid("1")], { orders }).problems.join()).toContain("not paid exactly");
  });

  it("wants a failed and a recycled task once a run is large enough to have them", () => {
    const problems = run(Array.from({ length: 100 }, (_, index) => paid(String(index)))).problems.join();
    expect(problems).toContain("no task failed");
    expect(problems).toContain("no task was recycled");
  });
});
