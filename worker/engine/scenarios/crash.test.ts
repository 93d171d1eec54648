import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { insertTaskRow } from "../../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren, monotonicMs, type Step } from "../../testing/child-engine.ts";
import { attemptsOf, insertDueTasks, statusCounts, taskFacts, timesPerId, whenAll } from "../../testing/task-facts.ts";
import { startEngine } from "../../testing/test-engine.ts";
import { waitFor } from "../../testing/wait-for.ts";
import { defineHandler } from "../index.ts";

const COUNT = 200;
const QUICK = 40;

let test: TestDatabase;
let directory: string;
beforeAll(async () => {
  test = await createTestDatabase();
  directory = mkdtempSync(join(tmpdir(), "redrive-gate-"));
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await test.drop();
});
beforeEach(async () => {
  await test.pool.query("DELETE FROM t_retry_task");
  await test.pool.query("DELETE FROM t_retry_attempt");
});
afterEach(endChildren);

describe("crash", () => {
  it("crash: all 200 running tasks of a killed worker run again within 15 s with default settings", async () => {
    const type = { eventType: "CRASH", concurrency: COUNT };
    const a = await ChildEngine.start({ url: test.url, types: [{ ...type, steps: [{ do: "hang" }] }] });
    await a.enqueue(Array.from({ length: COUNT }, (_, index) => ({ eventType: "CRASH", bizKey: `${index}` })));
    await a.waitUntil("all are running", () => a.calls("start").length === COUNT);
    const b = await ChildEngine.start({ url: test.url, types: [type] });

    const killedAt = monotonicMs();
    await a.kill("SIGKILL");
    await b.waitUntil("all run again", () => b.calls("start").length >= COUNT, 20_000);
    const lastAt = Math.max(...b.calls("start").map((call) => call.at));
    expect(lastAt - killedAt).toBeLessThanOrEqual(15_000);

    expect(await whenAll(test, ["succeeded"])).toEqual({ succeeded: COUNT });
    for (const fact of await taskFacts(test)) expect(fact).toMatchObject({ recycleCount: 1, retryCount: 0 });
    for (const times of timesPerId(b.calls("start")).values()) expect(times).toBe(1);
    expect(await attemptsOf(test, "recycled")).toHaveLength(COUNT);
  });

  it("crash: a handler that blocks the event loop for several dead limits is not recycled", async () => {
    const engine = { beatIntervalMs: 300, deadAfterMs: 1_500, recycleIntervalMs: 200 };
    const type = { eventType: "BLOCK", concurrency: 2, pollIntervalMs: 200 };
    const b = await ChildEngine.start({ url: test.url, engine, types: [{ ...type, eventType: "OTHER" }] });
    const blocks: Step[] = [{ do: "block", ms: 6_000 }];
    const a = await ChildEngine.start({ url: test.url, engine, types: [{ ...type, steps: blocks }] });
    await insertDueTasks(test, "BLOCK", 1);
    await a.waitForLine("it has ended", (line) => line["phase"] === "end");
    const [start] = a.calls("start");
    const [end] = a.calls("end");
    expect((end?.at ?? 0) - (start?.at ?? 0)).toBeGreaterThanOrEqual(6_000);

    expect(await whenAll(test, ["succeeded"])).toEqual({ succeeded: 1 });
    expect(await taskFacts(test)).toMatchObject([{ recycleCount: 0, retryCount: 0, claimNo: 1, owner: a.owner }]);
    expect(a.calls("start")).toHaveLength(1);
    expect(a.calls("abort")).toEqual([]);
    expect(b.events("recycled")).toEqual([]);
    // The neighbour did look during that time: it takes a killed worker's task back after the same limit.
    await insertDueTasks(test, "BLOCK", 1);
    await a.waitUntil("it runs another", () => a.calls("start").length === 2);
    await a.kill();
    await b.waitForLine("the neighbour recycles", (line) => line["name"] === "recycled");
  });

  async function fullWorker(graceMs: number, gate: string): Promise<ChildEngine> {
    const type = { eventType: "DRAIN", concurrency: COUNT, queueSize: 400, pollIntervalMs: 100 };
    const child = await ChildEngine.start({ url: test.url, graceMs, quiet: ["claimed"], types: [type] });
    // Quick runs open the queue, one at a time, for many at once are slow on a busy machine; what comes then is slow.
    for (let n = 0; n < QUICK; n++) await child.enqueue([{ eventType: "DRAIN", bizKey: `quick-${n}` }]);
    await whenAll(test, ["succeeded"]);
    await insertDueTasks(test, "DRAIN", 700, { prefix: "slow", steps: [{ do: "gate", file: gate }] });
    await child.waitUntil("200 run and 200 wait", async () => {
      const pool = (await child.health()).pools["DRAIN"];
      return pool !== undefined && pool.running === COUNT && pool.queued >= COUNT;
    });
    return child;
  }

  it("crash: SIGTERM with 200 running and 200 queued ends in order and burns no attempt", async () => {
    const gate = join(directory, "ends");
    const child = await fullWorker(20_000, gate);
    child.signal("SIGTERM");
    await waitFor("what had not begun is pending again", async () => {
      const counts = await statusCounts(test);
      return counts["running"] === COUNT && counts["pending"] === 500;
    });
    writeFileSync(gate, "");
    expect(await child.ended).toEqual({ code: 0, signal: null });
    expect(await statusCounts(test)).toEqual({ succeeded: QUICK + COUNT, pending: 500 });
    for (const fact of await taskFacts(test)) expect(fact).toMatchObject({ retryCount: 0, recycleCount: 0 });
    const slow = child.calls("start").filter((call) => call.bizKey.startsWith("slow"));
    expect(slow).toHaveLength(COUNT);
    expect(new Set(slow.map((call) => call.id)).size).toBe(COUNT);
  });

  it("crash: SIGTERM with handlers that outlast the grace time exits right after it and leaves nothing running", async () => {
    const graceMs = 1_000;
    const child = await fullWorker(graceMs, join(directory, "never"));
    const signalledAt = monotonicMs();
    child.signal("SIGTERM");
    const stopped = await child.waitForLine("stopped", (line) => line.kind === "stopped");
    expect(stopped["report"]).toMatchObject({ aborted: COUNT });
    // Nobody else is here: gate files are still looked for, so the process is ended by its supervisor.
    expect(stopped.at - signalledAt).toBeGreaterThanOrEqual(graceMs - 1);
    // The grace time, and what a shutdown may then take to write, to end its loops and to say farewell (`shutdown.ts`).
    expect(stopped.at - signalledAt).toBeLessThanOrEqual(graceMs + 11_000);
    expect(await statusCounts(test)).toEqual({ succeeded: QUICK, pending: 700 });
    for (const fact of await taskFacts(test)) expect(fact).toMatchObject({ retryCount: 0, recycleCount: 0 });
    expect(child.calls("abort")).toHaveLength(COUNT);
  });

  it("crash: a row that somebody had locked when its dead owner was swept is taken back soon after", async () => {
    const handler = defineHandler({ eventType: "SWEPT", pollIntervalMs: 200, handle: () => undefined });
    await test.pool.query(
      `INSERT INTO t_retry_worker (owner, host, ip, pid, version, state, dead_after_ms, event_types, pools, started_time, beat_time)
        VALUES ('dead-1', 'h', '127.0.0.1', 1, '0', 'running', 1000, '[]', '{}', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) - INTERVAL 60 SECOND)`,
    );
    const [locked, free] = await test.database.use(async (session) => [
      await insertTaskRow(session, { eventType: "SWEPT", status: "running", owner: "dead-1", claimNo: 1 }),
      await insertTaskRow(session, { eventType: "SWEPT", status: "running", owner: "dead-1", claimNo: 1 }),
    ]);
    const holder = await test.pool.getConnection();
    await holder.query("START TRANSACTION");
    await holder.query("SELECT id FROM t_retry_task WHERE id = ? FOR UPDATE", [locked]);
    const started = await startEngine(test, [handler], {
      beatIntervalMs: 200,
      deadAfterMs: 1_500,
      recycleIntervalMs: 200,
    });
    try {
      await started.rowWhere(free ?? "", "is taken back and done", (row) => row.status === "succeeded");
      expect((await started.row(locked ?? ""))?.status).toBe("running");
      await holder.query("ROLLBACK");
      await started.rowWhere(locked ?? "", "is taken back and done", (row) => row.status === "succeeded", 20_000);
    } finally {
      holder.destroy();
      await started.engine.stop();
    }
  });
});
