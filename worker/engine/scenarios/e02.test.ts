import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listWorkers, registerWorker, stopWorker } from "../../../db/queries/workers.ts";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren, type HandlerCall, type Step } from "../../testing/child-engine.ts";
import { attemptsOf, insertDueTasks, taskFacts, timesPerId, whenAll } from "../../testing/task-facts.ts";
import { waitFor } from "../../testing/wait-for.ts";

const COUNT = 200;
const ENGINE = { eager: false, beatIntervalMs: 200, deadAfterMs: 1_500, recycleIntervalMs: 200 };

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

function twin(steps: readonly Step[] = [{ do: "sleep", ms: 300 }]): Promise<ChildEngine> {
  const type = { eventType: "POLLED", concurrency: 10, pollIntervalMs: 300, steps };
  return ChildEngine.start({ url: test.url, engine: ENGINE, types: [type] });
}

const callsOf = (children: readonly ChildEngine[]): HandlerCall[] => children.flatMap((child) => child.calls("start"));

describe("E2: two processes on one host carry the same name", () => {
  it("E2: each task is run once, by the process that claimed it, and the registry tells the two apart", async () => {
    const twins = await Promise.all([twin(), twin()]);
    const [one, other] = twins;
    await insertDueTasks(test, "POLLED", COUNT);
    await whenAll(test, ["succeeded"], { timeoutMs: 60_000 });

    const calls = callsOf(twins);
    expect(calls).toHaveLength(COUNT);
    expect(new Set(calls.map((call) => call.id)).size).toBe(COUNT);
    const ownerById = new Map((await taskFacts(test)).map((fact) => [fact.id, fact.owner]));
    for (const child of twins) {
      expect(child.calls("start").length).toBeGreaterThan(0);
      for (const call of child.calls("start")) expect(ownerById.get(call.id)).toBe(child.owner);
      expect(child.events("stale")).toEqual([]);
    }

    const registered = await test.database.use((session) => listWorkers(session));
    const rows = registered.filter((row) => row.owner === one.owner || row.owner === other.owner);
    expect(rows).toHaveLength(2);
    expect(rows.map((row) => row.host)).toEqual([rows[0]?.host, rows[0]?.host]);
    expect(new Set(rows.map((row) => row.pid))).toEqual(new Set([one.pid, other.pid]));
  });

  it("E2: a row that commits only after its owner has left and was cleared away is found as well, long before the slow scan", async () => {
    const survivor = await twin();
    const owner = "left early";
    const entry = { owner, host: "h", ip: "127.0.0.1", pid: 1, version: "1", deadAfterMs: 60_000, eventTypes: [] };
    await test.database.use((session) => registerWorker(session, entry));
    await insertDueTasks(test, "POLLED", 2);
    await whenAll(test, ["succeeded"]);
    const [first, late] = await taskFacts(test);
    const giveTo = (id: string | undefined) =>
      test.pool.query("UPDATE t_retry_task SET status = 3, owner = ?, claim_no = claim_no + 1 WHERE id = ?", [
        owner,
        id,
      ]);
    await giveTo(first?.id);
    await test.database.use((session) => stopWorker(session, owner));
    await survivor.waitUntil("the owner is cleared away", () => survivor.events("recycled").length === 1);
    await giveTo(late?.id);
    await survivor.waitUntil("the late row is found", () => survivor.events("recycled").length === 2, 14_000);
    await whenAll(test, ["succeeded"]);
  });

  it("E2: what a killed process held is recycled after the limit, not adopted by its neighbour or its successor", async () => {
    const [neighbour, victim] = await Promise.all([twin(), twin([{ do: "hang" }])]);
    await insertDueTasks(test, "POLLED", COUNT);
    // All its slots are in use: it neither ends nor claims anything when it dies.
    await victim.waitUntil("the victim is full", () => victim.calls("start").length === 10);
    await victim.kill();
    const held = (await taskFacts(test)).filter((fact) => fact.status === "running" && fact.owner === victim.owner);
    expect(held).toHaveLength(10);
    const successor = await twin();
    expect(successor.owner).not.toBe(victim.owner);
    await whenAll(test, ["succeeded"], { timeoutMs: 60_000 });

    const heldIds = new Set(held.map((fact) => fact.id));
    for (const fact of await taskFacts(test)) {
      expect(fact).toMatchObject({ recycleCount: heldIds.has(fact.id) ? 1 : 0, retryCount: 0 });
    }
    expect(new Set((await attemptsOf(test, "recycled")).map((entry) => entry.taskId))).toEqual(heldIds);
    const times = timesPerId(callsOf([neighbour, victim, successor]));
    expect(times.size).toBe(COUNT);
    for (const [id, count] of times) expect(count).toBeLessThanOrEqual(heldIds.has(id) ? 2 : 1);
    // Rows that the recycler had not given back were never run by anybody else.
    for (const call of callsOf([neighbour, successor])) if (heldIds.has(call.id)) expect(call.recycleCount).toBe(1);
    await waitFor("nobody is left over", () => neighbour.isRunning && successor.isRunning);
  });
});
