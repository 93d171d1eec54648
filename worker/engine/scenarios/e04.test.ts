import { describe, expect, it } from "vitest";
import { resetTask } from "../../../db/queries/reset-task.ts";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import type { TestEngine } from "../../testing/test-engine.ts";
import type { HandlerResult } from "../index.ts";

const scenario = new Scenario();

const FAILINGS: Readonly<Record<string, () => Promise<HandlerResult> | HandlerResult>> = {
  throws: () => {
    throw new Error("thrown at once");
  },
  rejects: () => Promise.reject(new Error("rejected")),
  "returns false": () => false,
  "resolves to false": () => Promise.resolve(false),
};

const makeDue = (id: string) =>
  scenario.rows("UPDATE t_retry_task SET next_retry_time = ? WHERE id = ?", [
    scenario.database.zone.format(new Date(0)),
    BigInt(id),
  ]);

/** Two polls of the type have come and gone: whatever was due has been taken. */
async function afterPolls(started: TestEngine, eventType: string): Promise<void> {
  for (let poll = 0; poll < 2; poll++) {
    const [id] = await scenario.insert({ eventType, bizKey: `marker ${poll} ${performance.now()}` });
    await started.rowWhere(id ?? "", "is polled", (row) => row.status === "succeeded");
  }
}

describe("E4: number of executions and of counted retries", () => {
  it.each(Object.keys(FAILINGS))(
    "a handler that %s: FIXED 1 s, at most 3: three calls, 1, 2, 3 failures, one second apart, then failed",
    async (how) => {
      const log = new CallLog();
      const eventType = `FIXED ${how}`;
      const handler = log.handler({ eventType, pollIntervalMs: 100 }, (task) =>
        task.bizKey.startsWith("marker") ? true : FAILINGS[how]?.(),
      );
      const started = await scenario.start([handler]);
      const { id } = await started.enqueue({
        eventType,
        bizKey: "k",
        retryStrategy: "FIXED",
        firstIntervalSeconds: 1,
        maxRetryCount: 3,
      });
      for (const failures of [1, 2]) {
        const row = await started.rowWhere(id, `has failed ${failures} times`, (one) => one.retryCount === failures);
        expect(row).toMatchObject({ status: "pending", owner: null, ip: null });
        expect(row.nextRetryTime.getTime() - row.updateTime.getTime()).toBe(1_000);
      }
      const last = await started.rowWhere(id, "fails for good", (row) => row.status === "failed");
      expect(last).toMatchObject({ retryCount: 3, finishReason: "exhausted", recycleCount: 0 });
      await afterPolls(started, eventType);
      expect(log.count("k")).toBe(3);
      expect(log.calls.filter(({ bizKey }) => bizKey === "k").map(({ retryCount }) => retryCount)).toEqual([0, 1, 2]);
      expect((await scenario.row(id))?.retryCount).toBe(3);
      expect(started.of("rescheduled").map(({ retryCount, delayMs }) => [retryCount, delayMs])).toEqual([
        [1, 1_000],
        [2, 1_000],
      ]);
    },
  );

  it("EXPONENTIAL 10 s, at most 4: 10, 20, 40 s after the first, second, third failure, then failed", async () => {
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({ eventType: "EXPONENTIAL", pollIntervalMs: 50 }, () => Promise.reject(new Error("no"))),
    ]);
    const { id } = await started.enqueue({
      eventType: "EXPONENTIAL",
      bizKey: "k",
      retryStrategy: "EXPONENTIAL",
      firstIntervalSeconds: 10,
      maxRetryCount: 4,
    });
    const waits: number[] = [];
    for (const failures of [1, 2, 3]) {
      const row = await started.rowWhere(id, `has failed ${failures} times`, (one) => one.retryCount === failures);
      waits.push(row.nextRetryTime.getTime() - row.updateTime.getTime());
      await makeDue(id);
    }
    expect(waits).toEqual([10_000, 20_000, 40_000]);
    const last = await started.rowWhere(id, "fails for good", (row) => row.status === "failed");
    expect(last.retryCount).toBe(4);
    expect(log.count("k")).toBe(4);
    const kinds = (await scenario.history(id)).map(({ kind, retry_count }) => [kind, retry_count]);
    expect(kinds).toEqual([
      ["retried", 1],
      ["retried", 2],
      ["retried", 3],
      ["failed", 4],
    ]);
  });

  it("at most 1: one call, then failed with one counted failure", async () => {
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({ eventType: "ONCE", pollIntervalMs: 50 }, (task) => task.bizKey !== "k"),
    ]);
    const { id } = await started.enqueue({ eventType: "ONCE", bizKey: "k", maxRetryCount: 1 });
    expect(await started.rowWhere(id, "fails", (row) => row.status === "failed")).toMatchObject({ retryCount: 1 });
    await afterPolls(started, "ONCE");
    expect(log.count("k")).toBe(1);
  });

  it("a row of foreign code that is at its limit already is failed without a call and without a count", async () => {
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "LIMIT", pollIntervalMs: 50 })]);
    const [id] = await scenario.insert({ eventType: "LIMIT", bizKey: "k", retryCount: 5, maxRetryCount: 5 });
    const row = await started.rowWhere(id ?? "", "fails", ({ status }) => status === "failed");
    expect(row).toMatchObject({ retryCount: 5, finishReason: "exhausted" });
    expect(row.lastError).toContain("max_retry_count 5");
    expect(log.calls).toEqual([]);
  });

  it("a lowered type limit holds for new tasks; a task keeps the limit it was created with", async () => {
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({ eventType: "OWN", retry: { maxRetryCount: 1 }, pollIntervalMs: 50 }, () =>
        Promise.reject(new Error("no")),
      ),
    ]);
    const two = await started.enqueue({ eventType: "OWN", bizKey: "two", maxRetryCount: 2 });
    const one = await started.enqueue({ eventType: "OWN", bizKey: "one" });
    await started.rowWhere(one.id, "fails", (row) => row.status === "failed" && row.retryCount === 1);
    await started.rowWhere(two.id, "waits", (row) => row.status === "pending" && row.retryCount === 1);
    await makeDue(two.id);
    await started.rowWhere(two.id, "fails", (row) => row.status === "failed" && row.retryCount === 2);
    expect([log.count("one"), log.count("two")]).toEqual([1, 2]);
  });
});

describe("E4: the reset of the article", () => {
  const reset = (id: string) =>
    scenario.database.database.transaction((session) => resetTask(session, { id, actor: "op", reason: "fixed" }));

  it("a failed task begins anew: counts 0, due now, run by the poller and never on the spot", async () => {
    const log = new CallLog();
    let isBroken = true;
    const handler = log.handler(
      { eventType: "RESET", pollIntervalMs: 50, retry: { maxRetryCount: 1 } },
      () => !isBroken,
    );
    const [id = ""] = await scenario.insert({
      eventType: "RESET",
      status: "pending",
      maxRetryCount: 1,
      recycleCount: 2,
    });
    const first = await scenario.start([handler]);
    await first.rowWhere(id, "fails", (row) => row.status === "failed");
    await scenario.stopEngines();
    const before = await scenario.now();
    expect(await reset(id)).toMatchObject({ outcome: "done" });
    expect(await reset(id)).toEqual({ outcome: "not_failed", status: 0 });
    const row = await scenario.row(id);
    expect(row).toMatchObject({ status: "pending", retryCount: 0, recycleCount: 0, owner: null, ip: null });
    expect(row).toMatchObject({ finishReason: null, finishedTime: null });
    expect(row?.nextRetryTime.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(row?.nextRetryTime.getTime()).toBeLessThanOrEqual((await scenario.now()).getTime());
    isBroken = false;
    const second = await scenario.start([handler]);
    const ended = await second.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(ended.claimNo).toBe(2);
    expect(second.of("started")).toMatchObject([{ id, isEager: false }]);
    expect((await scenario.history(id)).map(({ kind }) => kind)).toEqual(["failed", "reset"]);
  });

  it("a foreign row stuck in running at its limit is reset; one below its limit or with a live owner is not", async () => {
    const stuck = { eventType: "STUCK", status: "running" as const, retryCount: 3, maxRetryCount: 3 };
    const [atLimit = "", below = "", owned = "", gone = "9223372036854775807"] = await scenario.insert(
      stuck,
      { ...stuck, retryCount: 2 },
      { ...stuck, owner: "somebody" },
    );
    expect(await reset(atLimit)).toMatchObject({ outcome: "done" });
    expect(await reset(below)).toEqual({ outcome: "not_failed", status: 3 });
    expect(await reset(owned)).toEqual({ outcome: "not_failed", status: 3 });
    expect(await reset(gone)).toEqual({ outcome: "not_found" });
    expect(await scenario.row(atLimit)).toMatchObject({ status: "pending", retryCount: 0 });
    expect(await scenario.row(below)).toMatchObject({ status: "running", retryCount: 2 });
    expect(await scenario.row(owned)).toMatchObject({ status: "running", owner: "somebody" });
  });

  it.each(["pending", "succeeded", "running", "cancelled"] as const)("a %s task is not reset", async (status) => {
    const [id = ""] = await scenario.insert({
      eventType: `NOT ${status}`,
      status,
      owner: status === "running" ? "x" : null,
    });
    const before = await scenario.row(id);
    expect(await reset(id)).toMatchObject({ outcome: "not_failed" });
    expect(await scenario.row(id)).toEqual(before);
  });
});
