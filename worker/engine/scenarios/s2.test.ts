import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren } from "../../testing/child-engine.ts";
import { taskFacts, timesPerId, whenAll } from "../../testing/task-facts.ts";
import { waitFor } from "../../testing/wait-for.ts";

const POLL_MS = 1_000;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
afterEach(endChildren);

describe("S2: claimed but not started when the stop comes", () => {
  it("S2: 40 waiting claims are pending again at once, 2 running ones are recorded, and nothing is left behind", async () => {
    const later = {
      eventType: "LATER",
      pollIntervalMs: 3_600_000,
      steps: [{ do: "fail" as const }],
      retry: { strategy: "FIXED" as const, firstIntervalSeconds: 1_800 },
    };
    const type = { eventType: "FEW", queueSize: 40, pollIntervalMs: POLL_MS };
    const a = await ChildEngine.start({ url: test.url, types: [{ ...type, concurrency: 2 }, later] });
    // A retry in half an hour must not keep the process alive.
    await a.enqueue([{ eventType: "LATER", bizKey: "later" }]);
    await a.waitForLine("a retry is planned", (line) => line["name"] === "rescheduled");
    // Instant runs open the queue to its full size.
    for (let round = 0; round < 5; round++) {
      const quick = Array.from({ length: 20 }, (_, index) => ({ eventType: "FEW", bizKey: `quick-${round}-${index}` }));
      await a.enqueue(quick);
      await whenAll(test, ["succeeded"], { eventType: "FEW" });
    }
    const b = await ChildEngine.start({ url: test.url, types: [{ ...type, concurrency: 50 }] });
    const steps = [{ do: "sleep" as const, ms: 1_500 }];
    const tasks = Array.from({ length: 42 }, (_, index) => ({
      eventType: "FEW",
      bizKey: `slow-${index}`,
      bizContext: { steps },
    }));
    const ids = new Set((await a.enqueue(tasks)).map((verdict) => verdict.id));
    await a.waitUntil("2 run and 40 wait", async () => {
      const pool = (await a.health()).pools["FEW"];
      return pool?.running === 2 && pool.queued === 40;
    });
    const before = (await taskFacts(test, "FEW")).filter((fact) => ids.has(fact.id));
    for (const fact of before) expect(fact).toMatchObject({ status: "running", owner: a.owner });

    const report = await a.stop();
    expect(report).toEqual({ finished: 2, released: 40, aborted: 0 });
    // The stop has resolved: everything of A is written already.
    const own = a.calls("start").filter((call) => ids.has(call.id));
    expect(own).toHaveLength(2);
    for (const { id } of own) {
      const fact = (await taskFacts(test, "FEW")).find((one) => one.id === id);
      expect(fact).toMatchObject({ status: "succeeded", owner: a.owner, claimNo: 1 });
    }
    expect(await a.ended).toEqual({ code: 0, signal: null });

    await whenAll(test, ["succeeded"], { eventType: "FEW" });
    const released = a.events("released").filter((line) => line["reason"] === "shutdown");
    expect(released.reduce((sum, line) => sum + Number(line["count"]), 0)).toBe(40);
    const ended = await a.waitForLine(
      "the first of A's handlers has ended",
      (line) => line["phase"] === "end" && ids.has(String(line["id"])),
    );
    for (const line of released) expect(line.at).toBeLessThan(ended.at);
    const taken = b.calls("start").filter((call) => ids.has(call.id));
    const times = timesPerId([...own, ...taken]);
    expect(times.size).toBe(42);
    for (const count of times.values()) expect(count).toBe(1);
    const due = new Map(before.map((fact) => [fact.id, fact.nextRetryTime]));
    const after = (await taskFacts(test, "FEW")).filter((fact) => ids.has(fact.id));
    for (const fact of after) {
      expect(fact).toMatchObject({ retryCount: 0, recycleCount: 0, nextRetryTime: due.get(fact.id) });
    }
    await waitFor("B goes on", () => b.isRunning);
  });
});
