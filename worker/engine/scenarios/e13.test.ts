import { drizzle } from "drizzle-orm/mysql2";
import { sql } from "drizzle-orm";
import mysql, { type Pool, type PoolConnection } from "mysql2/promise";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import type { TestEngine } from "../../testing/test-engine.ts";
import { TcpProxy } from "../../testing/tcp-proxy.ts";
import { waitFor } from "../../testing/wait-for.ts";
import { createEngine, type Engine, type EngineEventName, type SqlSeam } from "../index.ts";

const scenario = new Scenario();
let log: CallLog;
/** Keys of tasks whose business row was not there yet when their handler looked for it. */
let early: string[];

beforeAll(async () => {
  await scenario.database.pool.query("CREATE TABLE business (id varchar(64) PRIMARY KEY, n int) ENGINE=InnoDB");
});
beforeEach(() => {
  log = new CallLog();
  early = [];
});

/** Its pollers look once an hour: whatever runs in time runs eagerly. */
const handler = (pollIntervalMs = 3_600_000) =>
  log.handler({ eventType: "T", concurrency: 16, pollIntervalMs }, async (task) => {
    const rows = await scenario.rows("SELECT 1 FROM business WHERE id = ?", [task.bizKey]);
    if (rows.length === 0 && !task.bizKey.startsWith("marker")) early.push(task.bizKey);
  });

async function create(engine: Engine<never>, tx: PoolConnection, bizKey: string): Promise<string> {
  await tx.query("INSERT INTO business VALUES (?, 0)", [bizKey]);
  return (await engine.enqueue(tx, { eventType: "T", bizKey })).id;
}

/** A task created after everything else has run: what was to be started eagerly has been started before it. */
async function afterEverything(engine: Engine<never>): Promise<void> {
  const bizKey = `marker ${performance.now()}`;
  const connection = await scenario.database.pool.getConnection();
  await connection.beginTransaction();
  const { id } = await engine.enqueue(connection, { eventType: "T", bizKey });
  await connection.commit();
  await engine.afterCommit(connection);
  connection.release();
  await waitFor("the marker", async () => (await scenario.row(id))?.status === "succeeded");
}

async function expectOnlyEager(started: TestEngine, keys: readonly string[], ids: readonly string[]): Promise<void> {
  for (const id of ids) await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
  await afterEverything(started.engine as Engine<never>);
  expect(log.keys.filter((key) => !key.startsWith("marker")).sort()).toEqual([...keys].sort());
  expect(started.of("claimed")).toEqual([]);
  expect(started.of("stale")).toEqual([]);
  expect(started.of("loopError")).toEqual([]);
  expect(early).toEqual([]);
}

describe("E13: rolled back to a savepoint, yet executed", () => {
  it("mysql2 connection, raw SAVEPOINT: T1 and T3 run eagerly once, T2 has no row and is never called", async () => {
    const started = await scenario.start([handler()]);
    const ids = await started.engine.transaction(async (tx) => {
      const engine = started.engine as Engine<never>;
      const t1 = await create(engine, tx, "raw-1");
      await tx.query("SAVEPOINT before_t2");
      const t2 = await create(engine, tx, "raw-2");
      await tx.query("ROLLBACK TO SAVEPOINT before_t2");
      const t3 = await create(engine, tx, "raw-3");
      return { t1, t2, t3 };
    });
    await expectOnlyEager(started, ["raw-1", "raw-3"], [ids.t1, ids.t3]);
    expect(await scenario.row(ids.t2)).toBeUndefined();
    expect(started.engine.health().pools["T"]).toMatchObject({ running: 0, queued: 0 });
  });

  it("nested Drizzle transactions: what an inner one rolled back is not run, what it released is", async () => {
    const { pool, zone } = scenario.database;
    const db = drizzle(pool as Pool);
    const engine = createEngine({ database: db, zone: zone.name, handlers: [handler()] });
    const noise: EngineEventName[] = [];
    for (const name of ["stale", "loopError", "claimed"] as const) engine.on(name, () => noise.push(name));
    await engine.start();
    try {
      const enqueue = async (tx: Parameters<Parameters<typeof engine.transaction>[0]>[0], bizKey: string) => {
        await tx.execute(sql`INSERT INTO business VALUES (${bizKey}, 0)`);
        return (await engine.enqueue(tx, { eventType: "T", bizKey })).id;
      };
      const ids = await engine.transaction(async (tx) => {
        const t1 = await enqueue(tx, "nested-1");
        await tx
          .transaction(async (inner) => {
            await enqueue(inner, "nested-2");
            throw new Error("the inner part changes its mind");
          })
          .catch(() => undefined);
        const t3 = await tx.transaction((inner) => enqueue(inner, "nested-3"));
        await tx.execute(sql`SAVEPOINT by_hand`);
        await enqueue(tx, "nested-4");
        await tx.execute(sql`ROLLBACK TO SAVEPOINT by_hand`);
        return [t1, t3];
      });
      for (const id of ids) await waitFor(`${id} to run`, async () => (await scenario.row(id))?.status === "succeeded");
      await afterEverything(engine as Engine<never>);
      expect(log.keys.filter((key) => key.startsWith("nested")).sort()).toEqual(["nested-1", "nested-3"]);
      expect(early).toEqual([]);
      expect(noise).toEqual([]);
    } finally {
      await engine.stop();
    }
  });

  it("the service's own transactions with afterCommit: mysql2, Drizzle and a seam, each with a savepoint", async () => {
    const started = await scenario.start([handler()]);
    const engine = started.engine as Engine<never>;
    const connection = await scenario.database.pool.getConnection();
    await connection.beginTransaction();
    const ids = [await create(engine, connection, "own-1")];
    await connection.query("SAVEPOINT s");
    await create(engine, connection, "own-2");
    await connection.query("ROLLBACK TO s");
    await connection.commit();
    await engine.afterCommit(connection);
    connection.release();

    const db = drizzle(scenario.database.pool as Pool);
    const ended = await db.transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO business VALUES ('own-3', 0)`);
      ids.push((await engine.enqueue(tx, { eventType: "T", bizKey: "own-3" })).id);
      await tx
        .transaction(async (inner) => {
          await engine.enqueue(inner, { eventType: "T", bizKey: "own-4" });
          throw new Error("undo");
        })
        .catch(() => undefined);
      return tx;
    });
    await engine.afterCommit(ended);
    await expectOnlyEager(started, ["own-1", "own-3"], ids);
  });

  it("everything rolled back: no row, no call, no reserved place left, and the error is the caller's own", async () => {
    const started = await scenario.start([handler()]);
    const engine = started.engine as Engine<never>;
    const failure = new Error("the business says no");
    await expect(
      started.engine.transaction(async (tx) => {
        for (let index = 0; index < 16; index++) await create(engine, tx, `all-${index}`);
        throw failure;
      }),
    ).rejects.toBe(failure);
    const own = await scenario.database.pool.getConnection();
    await own.beginTransaction();
    for (let index = 0; index < 16; index++) await create(engine, own, `own-all-${index}`);
    await own.rollback();
    engine.afterRollback(own);
    own.release();
    // All 16 places are free again: 16 new tasks run eagerly.
    const ids = await started.engine.transaction(async (tx) => {
      const created: string[] = [];
      for (let index = 0; index < 16; index++) created.push(await create(engine, tx, `after-${index}`));
      return created;
    });
    await expectOnlyEager(
      started,
      ids.map((_, index) => `after-${index}`),
      ids,
    );
    expect(await scenario.rows("SELECT id FROM t_retry_task WHERE biz_key LIKE '%all-%'")).toEqual([]);
  });

  it("a callback that rolls back by itself and returns: nothing of it runs", async () => {
    const started = await scenario.start([handler()]);
    const engine = started.engine as Engine<never>;
    for (const undo of [(tx: PoolConnection) => tx.rollback(), (tx: PoolConnection) => tx.query("ROLLBACK")]) {
      await started.engine.transaction(async (tx) => {
        await create(engine, tx, "undone");
        await undo(tx);
      });
    }
    await expectOnlyEager(started, [], []);
  });

  it.each([
    {
      of: "a statement",
      taken: "UPDATE business SET n = n + 1 WHERE id = 'row-b'",
      meet: (_: Engine<never>, tx: PoolConnection) => tx.query("UPDATE business SET n = n + 1 WHERE id = 'row-b'"),
    },
    {
      of: "enqueue",
      taken: `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time)
        VALUES ('T', 'crossing', 'null', 1, 8, 'FIXED', 10, '2020-01-01 00:00:00')`,
      meet: (engine: Engine<never>, tx: PoolConnection) => create(engine, tx, "crossing"),
    },
  ])(
    "a deadlock of $of that the callback swallows has undone everything before it: nothing of that runs",
    async (one) => {
      const started = await scenario.start([handler()]);
      const engine = started.engine as Engine<never>;
      await scenario.rows("REPLACE INTO business VALUES ('row-a', 0), ('row-b', 0)");
      const other = await scenario.database.pool.getConnection();
      await other.beginTransaction();
      // InnoDB undoes the one that has changed less.
      const heavy = Array.from({ length: 200 }, (_, index) => `('heavy-${index}', 0)`).join(",");
      await other.query(`INSERT INTO business VALUES ${heavy}`);
      await other.query(one.taken);
      const seen: unknown[] = [];
      await started.engine.transaction(async (tx) => {
        await create(engine, tx, "victim");
        await tx.query("UPDATE business SET n = n + 1 WHERE id = 'row-a'");
        const crossing = other.query("UPDATE business SET n = n + 1 WHERE id = 'row-a'");
        await Promise.resolve(one.meet(engine, tx)).catch((error: unknown) => seen.push(error));
        await crossing;
        await other.rollback();
      });
      other.release();
      expect(seen).toMatchObject([{ errno: 1213 }]);
      await expectOnlyEager(started, [], []);
      expect(await scenario.rows("SELECT id FROM t_retry_task WHERE biz_key = 'victim'")).toEqual([]);
    },
  );

  it("no handler is called while the transaction is open, whatever else commits meanwhile", async () => {
    const started = await scenario.start([handler(50)]);
    const engine = started.engine as Engine<never>;
    const id = await started.engine.transaction(async (tx) => {
      const created = await create(engine, tx, "open");
      await afterEverything(engine);
      await started.engine.wake([created]);
      expect(log.keys).not.toContain("open");
      return created;
    });
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(log.count("open")).toBe(1);
    expect(early).toEqual([]);
  });

  it("afterCommit that is called before the commit starts nothing early; the row is run after it all the same", async () => {
    const started = await scenario.start([handler(200)]);
    const engine = started.engine as Engine<never>;
    const connection = await scenario.database.pool.getConnection();
    await connection.beginTransaction();
    const id = await create(engine, connection, "hasty");
    await engine.afterCommit(connection);
    await afterEverything(engine);
    expect(log.keys).not.toContain("hasty");
    await connection.commit();
    connection.release();
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded", 60_000);
    expect(log.count("hasty")).toBe(1);
    expect(early).toEqual([]);
  });
});

describe("E13: the connection is cut while COMMIT is under way", () => {
  let proxy: TcpProxy;
  let servicePool: Pool;
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeAll(async () => {
    const { connection } = scenario.database;
    proxy = await TcpProxy.start({ host: connection.host ?? "127.0.0.1", port: connection.port ?? 3306 });
    servicePool = mysql.createPool({ ...connection, host: "127.0.0.1", port: proxy.port });
    process.on("unhandledRejection", note);
  });
  afterAll(async () => {
    process.off("unhandledRejection", note);
    await servicePool.end();
    await proxy.close();
  });

  /** An engine whose service connections go through the proxy and whose own do not. */
  async function withEngine(
    work: (engine: Engine<PoolConnection>, released: string[]) => Promise<void>,
  ): Promise<void> {
    const { connection, zone } = scenario.database;
    const engine = createEngine({ database: servicePool, connection, zone: zone.name, handlers: [handler(200)] });
    const released: string[] = [];
    engine.on("released", ({ reason }) => released.push(reason));
    await engine.start();
    try {
      await work(engine, released);
    } finally {
      await engine.stop();
    }
  }

  it("before the server sees it: the caller gets the error, no row, no call", async () => {
    await withEngine(async (engine) => {
      const cut = proxy.cutOnce({ statement: /^COMMIT/i, after: /cut-before/, when: "before" });
      await expect(engine.transaction((tx) => create(engine as Engine<never>, tx, "cut-before"))).rejects.toMatchObject(
        { code: expect.stringMatching(/ECONNRESET|PROTOCOL_CONNECTION_LOST|EPIPE/) as string },
      );
      await cut;
      await afterEverything(engine as Engine<never>);
      expect(await scenario.rows("SELECT id FROM t_retry_task WHERE biz_key = 'cut-before'")).toEqual([]);
      expect(log.keys).not.toContain("cut-before");
    });
  });

  it("after the server has committed: the caller gets the error, the rows are there and are run once, by the poller", async () => {
    await withEngine(async (engine, released) => {
      const cut = proxy.cutOnce({ statement: /^COMMIT/i, after: /cut-after/, when: "answered" });
      await expect(engine.transaction((tx) => create(engine as Engine<never>, tx, "cut-after"))).rejects.toThrow();
      await cut;
      const [row] = await scenario.rows<{ id: string }>(
        "SELECT CAST(id AS CHAR) AS id FROM t_retry_task WHERE biz_key = 'cut-after'",
      );
      const id = row?.id ?? "";
      await waitFor("the row to be run", async () => (await scenario.row(id))?.status === "succeeded", 60_000);
      expect(await scenario.row(id)).toMatchObject({ retryCount: 0, recycleCount: 0, claimNo: 2 });
      expect(log.count("cut-after")).toBe(1);
      expect(released).toContain("forgotten");
      expect(early).toEqual([]);
    });
  });

  it("with a Drizzle database: the same two ends", async () => {
    const { connection, zone } = scenario.database;
    const db = drizzle(servicePool);
    const engine = createEngine({ database: db, connection, zone: zone.name, handlers: [handler(200)] });
    await engine.start();
    try {
      const enqueueIn = (bizKey: string) =>
        engine.transaction(async (tx) => {
          await tx.execute(sql`INSERT INTO business VALUES (${bizKey}, 0)`);
          await engine.enqueue(tx, { eventType: "T", bizKey });
        });
      void proxy.cutOnce({ statement: /^commit/i, after: /drizzle-before/, when: "before" });
      await expect(enqueueIn("drizzle-before")).rejects.toThrow();
      void proxy.cutOnce({ statement: /^commit/i, after: /drizzle-after/, when: "answered" });
      await expect(enqueueIn("drizzle-after")).rejects.toThrow();
      await waitFor("the committed one to be run", () => log.count("drizzle-after") === 1, 60_000);
      expect(await scenario.rows("SELECT id FROM t_retry_task WHERE biz_key = 'drizzle-before'")).toEqual([]);
      expect(log.keys).not.toContain("drizzle-before");
      await enqueueIn("drizzle-next");
      await waitFor("the pool to go on", () => log.count("drizzle-next") === 1);
    } finally {
      await engine.stop();
    }
  });

  it("killed by the server while the transaction is open: an error, no row, and the pool goes on", async () => {
    await withEngine(async (engine) => {
      await expect(
        engine.transaction(async (tx) => {
          await create(engine as Engine<never>, tx, "killed");
          await scenario.database.pool.query(`KILL ${tx.threadId}`);
          // The server takes a moment to end the session.
          await waitFor("the session to be gone", async () => {
            const list = await scenario.rows<{ ID: number }>(
              "SELECT ID FROM information_schema.processlist WHERE ID = ?",
              [tx.threadId],
            );
            return list.length === 0;
          });
        }),
      ).rejects.toThrow();
      await afterEverything(engine as Engine<never>);
      expect(await scenario.rows("SELECT id FROM t_retry_task WHERE biz_key = 'killed'")).toEqual([]);
      const id = await engine.transaction((tx) => create(engine as Engine<never>, tx, "after-kill"));
      await waitFor("the next one to run", async () => (await scenario.row(id))?.status === "succeeded");
    });
  });

  it("none of it reached the process as an unhandled rejection", () => {
    expect(unhandled).toEqual([]);
  });
});

describe("E13: a transaction nobody tells the end of", () => {
  it("a forgotten afterCommit: the row is given back and run by the poller, not eagerly and not by recycling", async () => {
    const started = await scenario.start([handler(200)]);
    const connection = await scenario.database.pool.getConnection();
    await connection.beginTransaction();
    const id = await create(started.engine as Engine<never>, connection, "forgotten");
    await connection.commit();
    connection.release();
    const row = await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded", 28_000);
    expect(row).toMatchObject({ claimNo: 2, retryCount: 0, recycleCount: 0 });
    expect(started.of("started")).toMatchObject([{ id, isEager: false }]);
    expect(started.of("released")).toMatchObject([{ reason: "forgotten" }]);
  });

  it("a transaction open for longer than its places are kept: they go to others; its task runs once after the commit", async () => {
    const one = new CallLog();
    const started = await scenario.start([
      one.handler({ eventType: "ONE", concurrency: 1, queueSize: 0, pollIntervalMs: 200 }),
    ]);
    const connection = await scenario.database.pool.getConnection();
    await connection.beginTransaction();
    const held = await started.engine.enqueue(connection, { eventType: "ONE", bizKey: "held" });
    expect(held.status).toBe("running");
    // Its place is taken, so this one is pending until the place is taken back from the open transaction.
    const other = await started.enqueue({ eventType: "ONE", bizKey: "other" });
    expect(other.status).toBe("pending");
    await started.rowWhere(other.id, "succeeds", ({ status }) => status === "succeeded", 60_000);
    const later = await started.engine.enqueue(connection, { eventType: "ONE", bizKey: "later" });
    expect(later.status).toBe("pending");
    expect(one.keys).toEqual(["other"]);
    await connection.commit();
    await started.engine.afterCommit(connection);
    connection.release();
    for (const { id } of [held, later]) {
      expect(await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded")).toMatchObject({
        retryCount: 0,
        recycleCount: 0,
      });
    }
    expect([one.count("held"), one.count("later"), one.count("other")]).toEqual([1, 1, 1]);
    expect(started.engine.health().pools["ONE"]).toMatchObject({ running: 0, queued: 0 });
  }, 60_000);

  it("two transactions one after the other on one connection do not mix, also if the first one's rollback was not told", async () => {
    const started = await scenario.start([handler()]);
    const engine = started.engine as Engine<never>;
    const connection = await scenario.database.pool.getConnection();
    const seam: SqlSeam = {
      query: async (text, values) => (await connection.query(text, [...values]))[0] as Record<string, unknown>[],
      execute: async (text, values) =>
        (await connection.query(text, [...values]))[0] as { affectedRows: number; insertId: number },
    };
    await connection.beginTransaction();
    await engine.enqueue(seam, { eventType: "T", bizKey: "marker untold" });
    await connection.rollback();
    await connection.beginTransaction();
    await connection.query("INSERT INTO business VALUES ('second', 0)");
    const { id } = await engine.enqueue(seam, { eventType: "T", bizKey: "second" });
    await connection.commit();
    await engine.afterCommit(seam);
    connection.release();
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(log.keys).toEqual(["second"]);
    expect(started.of("stale")).toEqual([]);
  });
});
