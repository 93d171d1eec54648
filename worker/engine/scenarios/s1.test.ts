import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren, monotonicMs, type Step } from "../../testing/child-engine.ts";
import { attemptsOf, insertDueTasks, taskFacts, whenAll } from "../../testing/task-facts.ts";
import { waitFor } from "../../testing/wait-for.ts";

const DEAD_AFTER_MS = 1_500;
const ENGINE = { beatIntervalMs: 300, deadAfterMs: DEAD_AFTER_MS, recycleIntervalMs: 200 };

let test: TestDatabase;
const directory = mkdtempSync(join(tmpdir(), "redrive-s1-"));
const gate = join(directory, "gate");
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(async () => {
  await test.drop();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  await test.pool.query("DELETE FROM t_retry_task");
  await test.pool.query("DELETE FROM t_retry_attempt");
});
afterEach(endChildren);

function instance(steps: readonly Step[], graceMs: number): Promise<ChildEngine> {
  const type = { eventType: "DRAIN", concurrency: 3, pollIntervalMs: 200, steps };
  return ChildEngine.start({ url: test.url, graceMs, engine: ENGINE, types: [type] });
}

async function runningOnA(steps: readonly Step[], graceMs: number): Promise<{ a: ChildEngine; b: ChildEngine }> {
  const a = await instance(steps, graceMs);
  await insertDueTasks(test, "DRAIN", 3);
  await a.waitUntil("three handlers run on A", () => a.calls("start").length === 3);
  return { a, b: await instance([], 10_000) };
}

describe("S1: recycled while it is draining", () => {
  it("S1: a draining worker keeps what runs for several dead limits, takes nothing new, and exits with code 0", async () => {
    const { a, b } = await runningOnA([{ do: "gate", file: gate }], 40_000);
    const mine = (await taskFacts(test)).map((fact) => fact.id);
    a.signal("SIGTERM");
    const signalled = await a.waitForLine("the signal", (line) => line.kind === "signalled");
    // A second signal in order changes nothing of it.
    a.signal("SIGTERM");
    const [late] = await a.enqueue([{ eventType: "DRAIN", bizKey: "meanwhile" }]);
    expect(late).toMatchObject({ inserted: true, status: "pending" });
    await insertDueTasks(test, "DRAIN", 10, { prefix: "more" });
    await b.waitUntil("B runs what is new", () => b.events("succeeded").length === 11);
    await waitFor("several dead limits have passed", () => monotonicMs() - signalled.at > 2.5 * DEAD_AFTER_MS);
    expect(a.calls("end")).toEqual([]);
    await writeFile(gate, "");

    expect(await a.ended).toEqual({ code: 0, signal: null });
    const stopped = await a.waitForLine("stopped", (line) => line.kind === "stopped");
    expect(stopped.at - signalled.at).toBeGreaterThan(2 * DEAD_AFTER_MS);
    expect(stopped["report"]).toMatchObject({ finished: 3, aborted: 0 });
    for (const fact of await taskFacts(test)) {
      const wasMine = mine.includes(fact.id);
      expect(fact).toMatchObject({ status: "succeeded", retryCount: 0, recycleCount: 0, claimNo: 1 });
      expect(fact.owner).toBe(wasMine ? a.owner : b.owner);
    }
    expect(a.calls("start").map((call) => call.id)).toEqual(expect.arrayContaining(mine));
    expect(a.calls("start")).toHaveLength(3);
    expect(await attemptsOf(test, "recycled")).toEqual([]);
    expect(await attemptsOf(test, "stale")).toEqual([]);
  });

  it("S1: what outlasts the grace time is run by B exactly once more, without waiting for A to be taken for dead, and costs no attempt", async () => {
    const graceMs = 2_000;
    const { a, b } = await runningOnA([{ do: "untilAborted" }, { do: "sleep", ms: 200 }], graceMs);
    const signalledAt = monotonicMs();
    a.signal("SIGTERM");
    expect(await a.ended).toEqual({ code: 0, signal: null });
    expect(monotonicMs() - signalledAt).toBeGreaterThanOrEqual(graceMs - 1);
    await waitFor("B has run them", () => b.events("succeeded").length === 3);
    await whenAll(test, ["succeeded"]);
    expect(b.calls("start")).toHaveLength(3);
    for (const fact of await taskFacts(test)) {
      expect(fact).toMatchObject({ owner: b.owner, retryCount: 0, recycleCount: 0, claimNo: 2 });
    }
  });
});
