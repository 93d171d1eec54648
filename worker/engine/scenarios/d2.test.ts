import type { RowDataPacket } from "mysql2/promise";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTransactions } from "../../../db/testing/open-transactions.ts";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren } from "../../testing/child-engine.ts";
import { waitFor } from "../../testing/wait-for.ts";
import { createServiceTables, insertDueTasks, statusCounts, taskFacts, whenAll } from "../../testing/task-facts.ts";
import { startEngine } from "../../testing/test-engine.ts";
import { defineHandler } from "../index.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await createServiceTables(test);
});
afterAll(() => test.drop());
beforeEach(() => test.pool.query("DELETE FROM t_retry_task"));
afterEach(endChildren);

describe("D2: fewer connections than running tasks", () => {
  it("D2: 20 handlers that hold one of 3 service connections for 500 ms all end; no connection is leaked", async () => {
    const child = await ChildEngine.start({
      url: test.url,
      serviceConnections: 3,
      engine: { connections: 2, recycleIntervalMs: 200 },
      types: [
        { eventType: "HOLD", concurrency: 20, pollIntervalMs: 200, steps: [{ do: "serviceConnection", ms: 500 }] },
        { eventType: "FREE", concurrency: 2, pollIntervalMs: 200 },
      ],
    });
    await insertDueTasks(test, "HOLD", 36);
    // Errors on the way must not cost a connection either.
    await insertDueTasks(test, "HOLD", 6, {
      prefix: "bad",
      maxRetryCount: 1,
      steps: [{ do: "serviceConnection", ms: 500 }, { do: "fail" }],
    });
    await child.waitUntil("all slots are taken", () => child.calls("start").length >= 20);
    // Claims and results go through while every connection of the service is held.
    await insertDueTasks(test, "FREE", 20);
    await whenAll(test, ["succeeded"], { eventType: "FREE", timeoutMs: 3_000 });
    expect((await statusCounts(test, "HOLD"))["running"]).toBeGreaterThan(0);
    const counts = await whenAll(test, ["succeeded", "failed"], { eventType: "HOLD", timeoutMs: 60_000 });
    expect(counts).toEqual({ succeeded: 36, failed: 6 });

    for (const fact of await taskFacts(test, "HOLD")) {
      const isBad = fact.bizKey.startsWith("bad");
      expect(fact).toMatchObject({ retryCount: isBad ? 1 : 0, recycleCount: 0, claimNo: 1 });
    }
    expect(child.events("loopError")).toEqual([]);
    await waitFor("every connection to be back", async () => (await child.servicePool()).free === 3);
    expect(await child.servicePool()).toEqual({ works: true, all: 3, free: 3 });
    await waitFor("the engine holds no transaction open", async () => (await openTransactions(test)).length === 0);
    await child.stop();
    expect((await child.ended).code).toBe(0);
  });

  it("D2: 20 handlers that finish their task in their own transaction on 3 connections all end, each effect once", async () => {
    const child = await ChildEngine.start({
      url: test.url,
      serviceConnections: 3,
      engine: { connections: 2 },
      types: [{ eventType: "OWN", concurrency: 20, pollIntervalMs: 200, steps: [{ do: "transaction", ms: 50 }] }],
    });
    await insertDueTasks(test, "OWN", 100);
    expect(await whenAll(test, ["succeeded"], { eventType: "OWN" })).toEqual({ succeeded: 100 });
    const [effects] = await test.pool.query<RowDataPacket[]>(
      "SELECT COUNT(*) AS n, COUNT(DISTINCT task_id) AS d FROM effect",
    );
    expect(effects[0]).toMatchObject({ n: 100, d: 100 });
    await waitFor("every connection to be back", async () => (await child.servicePool()).free === 3);
    expect(await child.servicePool()).toEqual({ works: true, all: 3, free: 3 });
    for (const fact of await taskFacts(test, "OWN")) expect(fact).toMatchObject({ retryCount: 0, claimNo: 1 });
  });

  it("D2: a slot reserved by an insert that waited for another transaction is given back", async () => {
    const handler = defineHandler({
      eventType: "WAITS",
      concurrency: 1,
      queueSize: 0,
      pollIntervalMs: 200,
      handle: () => undefined,
    });
    const started = await startEngine(test, [handler]);
    try {
      const holder = await test.pool.getConnection();
      await holder.query("START TRANSACTION");
      await holder.query(
        `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval,
          next_retry_time) VALUES ('WAITS', 'same', '{}', 0, 3, 'FIXED', 1, UTC_TIMESTAMP(3))`,
      );
      const waiting = started.enqueue({ eventType: "WAITS", bizKey: "same" });
      // The engine takes the places of transactions back that stay open for more than 5 s; it looks every 5 s.
      const untilMs = performance.now() + 10_500;
      await waitFor("the reservation has expired", () => performance.now() > untilMs);
      await holder.query("ROLLBACK");
      holder.release();
      const verdict = await waiting;
      await started.rowWhere(verdict.id, "is done", (row) => row.status === "succeeded");
      // The one slot is free: the next task is run right after its commit.
      const next = await started.enqueue({ eventType: "WAITS", bizKey: "next" });
      expect(next.status).toBe("running");
      await started.rowWhere(next.id, "is done", (row) => row.status === "succeeded");
    } finally {
      await started.engine.stop();
    }
  });
});
