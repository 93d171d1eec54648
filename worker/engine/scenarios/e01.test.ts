import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren, type Step } from "../../testing/child-engine.ts";
import { attemptsOf, insertDueTasks, taskFacts } from "../../testing/task-facts.ts";
import { waitFor } from "../../testing/wait-for.ts";

/** Half a second stands for the scenario's second of silence. */
const SHORT = { beatIntervalMs: 200, deadAfterMs: 1_500, recycleIntervalMs: 200, syncIntervalMs: 500 };

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.pool.query("DELETE FROM t_retry_task");
  await test.pool.query("DELETE FROM t_retry_attempt");
});
afterEach(endChildren);

/** A worker whose handler does what its own list says, whatever the task. */
async function worker(steps: readonly Step[], concurrency = 4): Promise<ChildEngine> {
  const type = { eventType: "SLOW", concurrency, pollIntervalMs: 200, retry: { maxRetryCount: 5 }, steps };
  return ChildEngine.start({ url: test.url, engine: SHORT, types: [type] });
}

async function row() {
  const [only] = await taskFacts(test, "SLOW");
  return only ?? expect.fail("the task is gone");
}

describe("E1: a worker that lost its task reports a result late", () => {
  it.each([
    ["success", [{ do: "sleep", ms: 300 }] satisfies Step[]],
    ["failure", [{ do: "sleep", ms: 300 }, { do: "fail" }] satisfies Step[]],
  ])("E1: a late %s changes nothing, is in the ledger, and its worker goes on", async (_kind, steps) => {
    const a = await worker(steps);
    await insertDueTasks(test, "SLOW", 1);
    await a.waitForLine("A runs it", (line) => line.kind === "call" && line["phase"] === "start");
    a.signal("SIGSTOP");
    const b = await worker([{ do: "sleep", ms: 3_000 }]);
    await b.waitForLine("B runs it", (line) => line.kind === "call" && line["phase"] === "start");
    const claimed = await row();
    expect(claimed).toMatchObject({ status: "running", owner: b.owner, recycleCount: 1, retryCount: 0 });

    a.signal("SIGCONT");
    await a.waitForLine("A's result is refused", (line) => line["name"] === "stale");
    expect(await row()).toEqual(claimed);
    expect(b.calls("end")).toEqual([]);
    expect(await attemptsOf(test, "stale")).toMatchObject([
      { taskId: claimed.id, claimNo: 1, owner: a.owner, detail: expect.stringContaining("refused") as string },
    ]);

    await waitFor("B has ended it", async () => (await row()).status === "succeeded");
    expect(await row()).toMatchObject({
      retryCount: 0,
      claimNo: 2,
      owner: b.owner,
      nextRetryTime: claimed.nextRetryTime,
    });
    expect(a.events("succeeded")).toEqual([]);
    expect(a.events("rescheduled")).toEqual([]);

    await b.stop();
    await insertDueTasks(test, "SLOW", 1, { steps: [] });
    await a.waitUntil("A takes new work", () => a.calls("start").length === 2);
  });

  it("E1: SIGSTOP past the limit: handlers are told by their signal and every late result is refused", async () => {
    const count = 40;
    const a = await worker([{ do: "untilAborted" }], count);
    await insertDueTasks(test, "SLOW", count);
    await a.waitUntil("A runs them all", () => a.calls("start").length === count);
    a.signal("SIGSTOP");
    const b = await worker([{ do: "sleep", ms: 2_000 }], count);
    await b.waitUntil("B runs them all", () => b.calls("start").length === count);

    a.signal("SIGCONT");
    await a.waitUntil("every handler of A was aborted", () => a.calls("abort").length === count);
    await a.waitUntil("every result of A is refused", () => a.events("stale").length === count);
    expect(new Set(a.calls("abort").map((call) => call.id)).size).toBe(count);
    expect(b.calls("end")).toEqual([]);

    await b.waitUntil("B has ended all", () => b.events("succeeded").length === count);
    const ledger = await attemptsOf(test, "stale");
    expect(ledger).toHaveLength(count);
    expect(new Set(ledger.map((entry) => entry.taskId)).size).toBe(count);
    expect(new Set(ledger.map((entry) => entry.owner))).toEqual(new Set([a.owner]));
    for (const fact of await taskFacts(test)) {
      expect(fact).toMatchObject({ status: "succeeded", owner: b.owner, recycleCount: 1, retryCount: 0, claimNo: 2 });
    }

    await b.stop();
    const [verdict] = await a.enqueue([{ eventType: "SLOW", bizKey: "afterwards" }]);
    await a.waitForLine("A runs new work", (line) => line.kind === "call" && line["id"] === verdict?.id);
    expect(await a.health()).toMatchObject({ state: "running", isAlive: true });
  });
});
