import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren } from "../../testing/child-engine.ts";
import { attemptsOf, insertDueTasks, statusCounts, taskFacts, timesPerId, whenAll } from "../../testing/task-facts.ts";
import { type Cut, TcpProxy } from "../../testing/tcp-proxy.ts";
import { waitFor } from "../../testing/wait-for.ts";

const SHORT = { beatIntervalMs: 200, deadAfterMs: 1_500, recycleIntervalMs: 200, syncIntervalMs: 500 };

const CLAIM = /claim_no = claim_no \+ 1/;
const COMPLETE = /finish_reason = 'success'/;
const RESCHEDULE = /retry_count = retry_count \+ 1,/;
const FAIL = /finish_reason = 'exhausted'/;
const RELEASE = /started_time = NULL/;
const RECYCLE = /recycle_count = recycle_count \+ 1/;
const COMMIT = /^COMMIT/;

let test: TestDatabase;
let proxy: TcpProxy;
const directory = mkdtempSync(join(tmpdir(), "redrive-e10-"));
const gate = join(directory, "gate");
const stray = join(directory, "stray");
beforeAll(async () => {
  test = await createTestDatabase();
  proxy = await TcpProxy.start({ host: test.connection.host ?? "", port: test.connection.port ?? 3306 });
});
afterAll(async () => {
  await proxy.close();
  await test.drop();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  await test.pool.query("DELETE FROM t_retry_task");
  await test.pool.query("DELETE FROM t_retry_attempt");
});
afterEach(async () => {
  proxy.clearCuts();
  await endChildren();
});

describe("E10: a rejection nobody awaits", () => {
  it("E10a: a handler's stray rejection that ends the process harms no other task", async () => {
    const type = { eventType: "STRAY", concurrency: 20, pollIntervalMs: 200 };
    const config = { url: test.url, engine: SHORT, types: [{ ...type, steps: [{ do: "gate" as const, file: gate }] }] };
    const a = await ChildEngine.start(config);
    await insertDueTasks(test, "STRAY", 10, { prefix: "other" });
    await a.waitUntil("ten others are in flight", () => a.calls("start").length === 10);
    await insertDueTasks(test, "STRAY", 1, { prefix: "stray", steps: [{ do: "strayRejection", file: stray }] });
    await waitFor("the stray task has succeeded", async () =>
      (await taskFacts(test)).some((fact) => fact.bizKey === "stray-0" && fact.status === "succeeded"),
    );
    await writeFile(stray, "");
    const end = await a.ended;
    expect(end.code).not.toBe(0);
    expect(a.stderr.join("")).toContain("nobody awaits this");
    // The engine has not stood between the rejection and the application's policy.
    expect(a.stderr.join("")).not.toContain("worker/engine/");
    const atDeath = await taskFacts(test);
    expect(atDeath.find((fact) => fact.bizKey === "stray-0")).toMatchObject({ status: "succeeded", retryCount: 0 });

    await writeFile(gate, "");
    const b = await ChildEngine.start(config);
    await whenAll(test, ["succeeded"]);
    const returned = new Set([...a.calls("end"), ...b.calls("end")].map((call) => call.id));
    for (const fact of await taskFacts(test)) {
      expect(returned.has(fact.id)).toBe(true);
      expect(fact).toMatchObject({ retryCount: 0, recycleCount: fact.bizKey === "stray-0" ? 0 : 1 });
    }
  });

  it("E10b: a database that fails at each step of the engine is never a stray rejection, nor a counted attempt", async () => {
    const cuts: Cut[] = [
      { statement: /^SELECT .*FOR UPDATE SKIP LOCKED/s, when: "before" },
      { statement: /^SELECT .*FOR UPDATE SKIP LOCKED/s, when: "answered" },
      { statement: CLAIM, when: "before" },
      { statement: CLAIM, when: "answered" },
      { statement: COMMIT, after: CLAIM, when: "before" },
      { statement: COMMIT, after: CLAIM, when: "answered" },
      { statement: COMPLETE, when: "before" },
      { statement: COMPLETE, when: "answered" },
      { statement: RESCHEDULE, when: "before" },
      { statement: RESCHEDULE, when: "answered" },
      { statement: COMMIT, after: RESCHEDULE, when: "before" },
      { statement: COMMIT, after: RESCHEDULE, when: "answered" },
      { statement: FAIL, when: "before" },
      { statement: COMMIT, after: FAIL, when: "answered" },
      // The claims whose COMMIT was answered into the void are found by the self-check and released.
      { statement: RELEASE, when: "before" },
      { statement: /FROM `?t_retry_event_type`?/, when: "answered" },
      { statement: /SET beat_time/, when: "before" },
      { statement: /SET beat_time/, when: "answered" },
    ];
    const types = [
      { eventType: "GOOD", concurrency: 4, pollIntervalMs: 200, batchSize: 4 },
      {
        eventType: "BAD",
        concurrency: 4,
        pollIntervalMs: 200,
        steps: [{ do: "fail" as const }],
        retry: { strategy: "FIXED" as const, firstIntervalSeconds: 1, maxRetryCount: 2 },
      },
    ];
    const engine = { ...SHORT, deadAfterMs: 5_000, beatIntervalMs: 500 };
    const child = await ChildEngine.start({ url: proxy.url(test.url), serviceUrl: test.url, engine, types });
    let happened = 0;
    const all = cuts.map((cut) => proxy.cutOnce(cut).then(() => happened++));
    await insertDueTasks(test, "GOOD", 60);
    await insertDueTasks(test, "BAD", 10, { maxRetryCount: 2 });
    await waitFor("every cut has happened", () => happened === all.length, 60_000).catch(() =>
      expect(`${happened} cuts happened`).toBe(`${all.length} cuts happened`),
    );
    await whenAll(test, ["succeeded"], { eventType: "GOOD", timeoutMs: 20_000 });
    await whenAll(test, ["failed"], { eventType: "BAD" });

    expect(child.isRunning).toBe(true);
    expect(child.stderr.join("")).toBe("");
    const times = timesPerId(child.calls("start"));
    for (const fact of await taskFacts(test)) {
      const isBad = fact.eventType === "BAD";
      expect(fact).toMatchObject({ retryCount: isBad ? 2 : 0, recycleCount: 0 });
      expect(times.get(fact.id)).toBe(isBad ? 2 : 1);
    }
    expect(await attemptsOf(test, "retried")).toHaveLength(10);
    expect(await attemptsOf(test, "failed")).toHaveLength(10);
    expect(await attemptsOf(test, "stale")).toEqual([]);
    await child.stop();
    expect((await child.ended).code).toBe(0);
    expect(child.stderr.join("")).toBe("");
  });

  it("E10b: a recycle whose statement or commit fails is done again, each task once", async () => {
    const type = { eventType: "LEFT", concurrency: 20, pollIntervalMs: 200 };
    const dying = await ChildEngine.start({
      url: test.url,
      engine: SHORT,
      types: [{ ...type, steps: [{ do: "hang" }] }],
    });
    await insertDueTasks(test, "LEFT", 20);
    await dying.waitUntil("all are running", () => dying.calls("start").length === 20);
    const other = await ChildEngine.start({
      url: proxy.url(test.url),
      serviceUrl: test.url,
      engine: SHORT,
      types: [type],
    });
    let happened = 0;
    for (const cut of [
      { statement: RECYCLE, when: "before" },
      { statement: COMMIT, after: RECYCLE, when: "before" },
      { statement: COMMIT, after: RECYCLE, when: "answered" },
    ] satisfies Cut[]) {
      void proxy.cutOnce(cut).then(() => happened++);
    }
    await dying.kill();
    await waitFor("all recycle cuts have happened", () => happened === 3);
    await waitFor("all succeeded", async () => (await statusCounts(test))["succeeded"] === 20);
    for (const fact of await taskFacts(test))
      expect(fact).toMatchObject({ recycleCount: 1, retryCount: 0, claimNo: 2 });
    expect(await attemptsOf(test, "recycled")).toHaveLength(20);
    expect(other.isRunning).toBe(true);
    expect(other.stderr.join("")).toBe("");
  });
});
