import { describe, expect, it } from "vitest";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import { Gate, waitFor } from "../../testing/wait-for.ts";

const scenario = new Scenario();
const tasks = (eventType: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ eventType, bizKey: `k-${index}` }));

describe("E12: 500 tasks become visible with one commit", () => {
  it("the commit does not wait, what does not fit is pending at once, all run once, claims stay near the tasks", async () => {
    const gate = new Gate();
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({ eventType: "BURST", concurrency: 5, queueSize: 20, pollIntervalMs: 200 }, async () => {
        await gate.opened;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }),
    ]);
    const verdicts = await started.engine.transaction((tx) => started.engine.enqueueMany(tx, tasks("BURST", 500)));
    expect(verdicts.filter(({ inserted }) => inserted)).toHaveLength(500);
    // No handler has ended: the commit came back without them.
    expect(await scenario.statuses("BURST")).toEqual({ running: 5, pending: 495 });
    const rejected = await scenario.rows<{ amount: number }>(
      "SELECT COUNT(*) AS amount FROM t_retry_task WHERE event_type = 'BURST' AND status = 0 AND owner IS NULL AND retry_count = 0 AND claim_no = 0",
    );
    expect(Number(rejected[0]?.amount)).toBe(495);
    expect(started.of("rejected")).toMatchObject([{ count: 495 }]);
    expect(started.of("enqueued")).toMatchObject([{ count: 500, eager: 5 }]);
    gate.open();
    await waitFor("all to be done", async () => (await scenario.statuses("BURST"))["succeeded"] === 500, 60_000);
    expect(log.calls).toHaveLength(500);
    expect(new Set(log.keys).size).toBe(500);
    const [claims] = await scenario.rows<{ claims: string | number; most: number; failures: string | number }>(
      "SELECT SUM(claim_no) AS claims, MAX(claim_no) AS most, SUM(retry_count) AS failures FROM t_retry_task WHERE event_type = 'BURST'",
    );
    expect([Number(claims?.claims), claims?.most, Number(claims?.failures)]).toEqual([500, 1, 0]);
    expect(started.of("released")).toEqual([]);
    expect(started.of("loopError")).toEqual([]);
  });

  it("a type whose runs become slow gives its queue back instead of holding it, without a count", async () => {
    const log = new CallLog();
    const gates: Gate[] = [];
    const started = await scenario.start([
      log.handler({ eventType: "SLOWED", concurrency: 2, queueSize: 20, pollIntervalMs: 200 }, async (task) => {
        if (task.bizKey.startsWith("fast")) return;
        const gate = new Gate();
        gates.push(gate);
        await gate.opened;
      }),
    ]);
    await scenario.insert(
      ...Array.from({ length: 40 }, (_, index) => ({ eventType: "SLOWED", bizKey: `fast-${index}` })),
    );
    await waitFor("the fast ones", async () => (await scenario.statuses("SLOWED"))["succeeded"] === 40);
    await scenario.insert(...tasks("SLOWED", 15));
    await waitFor("some to wait claimed", () => (started.engine.health().pools["SLOWED"]?.queued ?? 0) > 0);
    await waitFor(
      "them to be given back",
      () => started.of("released").some(({ reason }) => reason === "stalled"),
      60_000,
    );
    expect(await scenario.statuses("SLOWED")).toEqual({ succeeded: 40, running: 2, pending: 13 });
    const [counts] = await scenario.rows<{ failures: string | number }>(
      "SELECT SUM(retry_count) AS failures FROM t_retry_task WHERE event_type = 'SLOWED'",
    );
    expect(Number(counts?.failures)).toBe(0);
    let isOpen = true;
    const opening = (async () => {
      while (isOpen) {
        for (const gate of gates) gate.open();
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await waitFor("all to be done", async () => (await scenario.statuses("SLOWED"))["succeeded"] === 55, 60_000);
    isOpen = false;
    await opening;
    expect(new Set(log.keys).size).toBe(55);
    expect(log.calls).toHaveLength(55);
  });

  it("many commits of one task each while the pool is full: rejected ones are pending, none is lost", async () => {
    const gate = new Gate();
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({ eventType: "MANY", concurrency: 3, queueSize: 0, pollIntervalMs: 200 }, () => gate.opened),
    ]);
    await Promise.all(tasks("MANY", 60).map((task) => started.enqueue(task)));
    // A poll that was under way when the slots were taken may hold as many again; no more than that.
    const { running = 0, pending = 0 } = await scenario.statuses("MANY");
    expect(running + pending).toBe(60);
    expect(running).toBeGreaterThanOrEqual(3);
    expect(running).toBeLessThanOrEqual(6);
    expect(started.engine.health().pools["MANY"]?.running).toBe(3);
    expect(started.of("rejected").reduce((sum, { count }) => sum + count, 0)).toBe(57);
    gate.open();
    await waitFor("all to be done", async () => (await scenario.statuses("MANY"))["succeeded"] === 60, 60_000);
    expect([log.calls.length, new Set(log.keys).size]).toEqual([60, 60]);
  });
});
