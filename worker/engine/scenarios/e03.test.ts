import { describe, expect, it } from "vitest";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import { Gate, waitFor } from "../../testing/wait-for.ts";

const scenario = new Scenario();

describe("E3: the next poll dispatches tasks that are still running here", () => {
  it("ten polls while ten long tasks run or wait: each handler is called once, none overlaps, no second copy queues", async () => {
    const long = new CallLog();
    const beside = new CallLog();
    const gate = new Gate();
    const started = await scenario.start(
      [
        long.handler({ eventType: "LONG", concurrency: 4, queueSize: 20, pollIntervalMs: 50 }, () => gate.opened),
        beside.handler({ eventType: "BESIDE", pollIntervalMs: 50 }),
      ],
      { recycleIntervalMs: 100, syncIntervalMs: 100 },
    );
    const ids = await scenario.insert(...Array.from({ length: 10 }, () => ({ eventType: "LONG" })));
    await waitFor("four to run", () => long.calls.length === 4);
    for (let poll = 0; poll < 10; poll++) {
      const [id] = await scenario.insert({ eventType: "BESIDE" });
      await started.rowWhere(id ?? "", "is found by a poll", (row) => row.status === "succeeded");
      await started.engine.wake(ids);
      const { running, queued } = started.engine.health().pools["LONG"] ?? { running: -1, queued: -1 };
      expect({ running, queued }).toEqual({ running: 4, queued: 0 });
    }
    expect(long.calls).toHaveLength(4);
    expect(await scenario.statuses("LONG")).toEqual({ running: 4, pending: 6 });
    gate.open();
    for (const id of ids) {
      const row = await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
      expect(row).toMatchObject({ retryCount: 0, claimNo: 1, recycleCount: 0 });
    }
    expect(long.calls.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(long.overlapping).toEqual([]);
    expect(started.of("stale")).toEqual([]);
  });

  it("a claimed queue behind full slots is not claimed again either", async () => {
    const log = new CallLog();
    const gates = new Map<string, Gate>();
    const started = await scenario.start([
      log.handler({ eventType: "QUEUED", concurrency: 2, queueSize: 20, pollIntervalMs: 50 }, async (task) => {
        await gates.get(task.bizKey)?.opened;
      }),
    ]);
    // Runs that take no time make the pool claim ahead.
    const quick = await scenario.insert(...Array.from({ length: 30 }, () => ({ eventType: "QUEUED" })));
    for (const id of quick) await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    const slow = Array.from({ length: 12 }, (_, index) => ({ eventType: "QUEUED", bizKey: `slow-${index}` }));
    for (const { bizKey } of slow) gates.set(bizKey, new Gate());
    const ids = await scenario.insert(...slow);
    await waitFor("two to run and some to wait", () => (started.engine.health().pools["QUEUED"]?.queued ?? 0) > 0);
    await started.engine.wake(ids);
    for (const gate of gates.values()) gate.open();
    for (const id of ids) {
      expect(await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded")).toMatchObject({
        retryCount: 0,
        recycleCount: 0,
      });
    }
    for (const { bizKey } of slow) expect(log.count(bizKey)).toBe(1);
    expect(log.overlapping).toEqual([]);
  });
});
