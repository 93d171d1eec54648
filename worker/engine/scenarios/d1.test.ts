import type { RowDataPacket } from "mysql2/promise";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { claimDueTasks } from "../../../db/queries/claim-tasks.ts";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren, type Line, type Step } from "../../testing/child-engine.ts";
import { startEngine } from "../../testing/test-engine.ts";
import { Gate, waitFor } from "../../testing/wait-for.ts";
import { defineHandler } from "../index.ts";
import { createServiceTables, insertDueTasks, taskFacts, timesPerId, whenAll } from "../../testing/task-facts.ts";

const TRANSACTIONS = 500;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await createServiceTables(test);
});
afterAll(() => test.drop());
beforeEach(() => test.pool.query("DELETE FROM t_retry_task"));
afterEach(endChildren);

const isShortage = (line: Line): boolean =>
  (line["error"] as { readonly code?: string } | undefined)?.code === "POOL_NOCONNECTIONS";

describe("D1: deadlocks between creating, claiming and finishing", { timeout: 120_000 }, () => {
  it("D1: eight creators and three instances that claim, finish, fail and recycle do not meet one 1213 or 1205", async () => {
    const engine = { beatIntervalMs: 300, deadAfterMs: 1_500, recycleIntervalMs: 100 };
    const common = { concurrency: 8, pollIntervalMs: 100 };
    const retry = { strategy: "FIXED" as const, firstIntervalSeconds: 1, maxRetryCount: 2 };
    const types = [
      { eventType: "GOOD", ...common, steps: [{ do: "sleep", ms: 5 }] satisfies Step[] },
      { eventType: "ONCE", ...common, retry, steps: [{ do: "failOnce" }] satisfies Step[] },
      { eventType: "NEVER", ...common, retry, steps: [{ do: "fail" }] satisfies Step[] },
    ];
    const quiet = ["enqueued", "claimed", "started", "succeeded", "rejected", "released", "rescheduled", "failed"];
    const config = { url: test.url, serviceConnections: 8, engine, types, quiet };
    const withHeld = (steps: readonly Step[]) => ({
      ...config,
      types: [...types, { eventType: "HELD", ...common, steps }],
    });
    const [creator, second, victim] = await Promise.all([
      ChildEngine.start(config),
      ChildEngine.start(config),
      ChildEngine.start(withHeld([{ do: "hang" }])),
    ]);
    // Certainly in the victim's hands when it dies; what else it has may just be ending.
    await insertDueTasks(test, "HELD", 1);
    await victim.waitUntil("the victim holds it", () => victim.calls("start").some((one) => one.eventType === "HELD"));
    const isolation = await test.pool
      .query<RowDataPacket[]>("SELECT @@transaction_isolation AS level")
      .catch(() => test.pool.query<RowDataPacket[]>("SELECT @@tx_isolation AS level"));
    expect(isolation[0][0]).toMatchObject({ level: "REPEATABLE-READ" });

    const eventTypes = ["GOOD", "GOOD", "ONCE", "NEVER"];
    const request = { prefix: "d1", eventTypes, transactions: TRANSACTIONS, tasksEach: 4, atOnce: 8 };
    const loading = creator.load(request);
    await victim.waitUntil("the victim is in the middle", () => victim.calls("start").length > 50);
    await victim.kill();
    const result = await loading;
    expect(result).toMatchObject({ errors: {}, committed: TRANSACTIONS, tasks: TRANSACTIONS * 4 });
    const successor = await ChildEngine.start(withHeld([]));
    await whenAll(test, ["succeeded", "failed"], { timeoutMs: 60_000 });

    const living = [creator, second, successor];
    const calls = [...living, victim].flatMap((child) => child.calls("start"));
    const times = timesPerId(calls);
    const facts = await taskFacts(test);
    expect(facts).toHaveLength(TRANSACTIONS * 4 + 1);
    const failuresOf: Readonly<Record<string, number>> = { GOOD: 0, HELD: 0, ONCE: 1, NEVER: 2 };
    for (const fact of facts) {
      const failures = failuresOf[fact.eventType] ?? -1;
      expect(fact).toMatchObject({ status: failures === 2 ? "failed" : "succeeded", retryCount: failures });
      // Each counted attempt was one call; a recycled one may have been called once more.
      const expected = failures === 2 ? 2 : failures + 1;
      const called = times.get(fact.id) ?? 0;
      expect(called).toBeGreaterThanOrEqual(expected);
      expect(called).toBeLessThanOrEqual(expected + fact.recycleCount);
    }
    for (const child of living) {
      // A machine that is too slow for this load makes passes wait for a connection, which is not what is asked here.
      expect(child.events("loopError").filter((line) => !isShortage(line))).toEqual([]);
      expect(child.events("outage")).toEqual([]);
      expect(child.stderr.join("")).toBe("");
    }
    expect(facts.filter((fact) => fact.eventType === "HELD")).toMatchObject([{ recycleCount: 1 }]);
  });

  it("D1: in the middle of one claim another claims other rows and a creator does not wait", async () => {
    await insertDueTasks(test, "OPEN", 30);
    const owner = (name: string) => ({ owner: name, ip: "127.0.0.1" });
    await test.database.transaction(async (first) => {
      // More than are due: under REPEATABLE READ this would lock the gap behind them.
      const mine = await claimDueTasks(first, owner("one"), { eventType: "OPEN", limit: 20 });
      const theirs = await test.database.transaction((session) =>
        claimDueTasks(session, owner("two"), { eventType: "OPEN", limit: 200 }),
      );
      expect(mine).toHaveLength(20);
      expect(theirs).toHaveLength(10);
      const mineIds = new Set(mine.map((task) => task.id));
      expect(theirs.filter((task) => mineIds.has(task.id))).toEqual([]);

      const creator = await test.pool.getConnection();
      try {
        await creator.query("SET SESSION innodb_lock_wait_timeout = 1");
        await creator.query("START TRANSACTION");
        await creator.query("INSERT INTO business (name) VALUES ('beside')");
        for (const eventType of ["OPEN", "A", "Z"]) {
          await creator.query(
            `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy,
              first_retry_interval, next_retry_time) VALUES (?, 'beside', '{}', 0, 3, 'FIXED', 1, UTC_TIMESTAMP(3))`,
            [eventType],
          );
        }
        await creator.query("COMMIT");
      } finally {
        creator.destroy();
      }
    });
    const facts = await taskFacts(test, "OPEN");
    expect(facts.filter((fact) => fact.status === "running")).toHaveLength(30);
    expect(facts.filter((fact) => fact.status === "pending")).toHaveLength(1);
  });

  it("D1: a business transaction that keeps a running task's row locked delays no other task's result", async () => {
    const gate = new Gate();
    const held = defineHandler({ eventType: "HELD", pollIntervalMs: 200, handle: () => gate.opened });
    const free = defineHandler({ eventType: "FREE", pollIntervalMs: 200, handle: () => undefined });
    const started = await startEngine(test, [held, free]);
    const business = await test.pool.getConnection();
    try {
      const { id } = await started.enqueue({ eventType: "HELD", bizKey: "one" });
      await waitFor("it is running", () => started.of("started").length === 1);
      await business.query("START TRANSACTION");
      await business.query("SELECT id FROM t_retry_task WHERE id = ? FOR UPDATE", [id]);
      gate.open();
      // Its result is on its way to the locked row before the others begin.
      for (let round = 0; round < 20; round++) await started.enqueue({ eventType: "FREE", bizKey: `${round}` });
      await whenAll(test, ["succeeded"], { eventType: "FREE", timeoutMs: 6_000 });
      // The engine has met the lock by now; later results do not wait at all.
      const next = await started.enqueue({ eventType: "FREE", bizKey: "next" });
      await started.rowWhere(next.id, "is done", (row) => row.status === "succeeded", 1_000);
      expect((await started.row(id))?.status).toBe("running");

      await business.query("ROLLBACK");
      const done = await started.rowWhere(id, "is done", (row) => row.status === "succeeded", 5_000);
      expect(done).toMatchObject({ retryCount: 0, claimNo: 1 });
      expect(started.of("succeeded")).toHaveLength(22);
      expect(started.of("stale")).toEqual([]);
    } finally {
      business.destroy();
      await started.engine.stop();
    }
  });
});
