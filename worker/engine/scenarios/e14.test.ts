import { drizzle } from "drizzle-orm/mysql2";
import mysql, { type ConnectionOptions, type Pool, type PoolConnection } from "mysql2/promise";
import { beforeAll, describe, expect, it } from "vitest";
import { BusinessConnection } from "../../../db/testing/locks.ts";
import { openTransactions } from "../../../db/testing/open-transactions.ts";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import { Gate, waitFor } from "../../testing/wait-for.ts";
import { DuplicateTaskError, type EnqueueVerdict, RedriveError } from "../index.ts";

const scenario = new Scenario();
beforeAll(() => scenario.database.pool.query("CREATE TABLE business (id varchar(64) PRIMARY KEY) ENGINE=InnoDB"));

const countOf = async (bizKey: string, eventType = "X"): Promise<number> => {
  const [row] = await scenario.rows<{ amount: number }>(
    "SELECT COUNT(*) AS amount FROM t_retry_task WHERE event_type = ? AND biz_key = ?",
    [eventType, bizKey],
  );
  return Number(row?.amount);
};

/** True once the server says that this connection waits for a lock. */
const waitsForLock = (connection: PoolConnection) =>
  waitFor("the second creation to wait for the first", async () =>
    (await openTransactions(scenario.database)).some(
      ({ connectionId, waitsForLock }) => waitsForLock && connectionId === connection.threadId,
    ),
  );

async function begun(): Promise<PoolConnection> {
  const connection = await scenario.database.pool.getConnection();
  await connection.beginTransaction();
  return connection;
}

describe("E14: the same business key is created again", () => {
  it("in each status: the answer is the id that exists and its status; one row, no second execution, other writes commit", async () => {
    const log = new CallLog();
    const gate = new Gate();
    const started = await scenario.start([
      log.handler({ eventType: "X", pollIntervalMs: 50, retry: { maxRetryCount: 1 } }, (task) => {
        if (task.bizKey === "running") return gate.opened;
        return task.bizKey !== "failed";
      }),
    ]);
    const { engine } = started;
    const made: Record<string, EnqueueVerdict> = {
      pending: await started.enqueue({ eventType: "X", bizKey: "pending", delayMs: 3_600_000 }),
      running: await started.enqueue({ eventType: "X", bizKey: "running" }),
      succeeded: await started.enqueue({ eventType: "X", bizKey: "succeeded" }),
      failed: await started.enqueue({ eventType: "X", bizKey: "failed" }),
    };
    const [cancelled = ""] = await scenario.insert({ eventType: "X", bizKey: "cancelled", status: "cancelled" });
    made["cancelled"] = { id: cancelled, inserted: true, status: "cancelled" };
    for (const [status, { id }] of Object.entries(made)) {
      await started.rowWhere(id, `is ${status}`, (row) => row.status === status);
    }
    for (const [status, { id, inserted }] of Object.entries(made)) {
      expect(inserted).toBe(true);
      const before = await scenario.row(id);
      const answers = await engine.transaction(async (tx) => {
        await tx.query("INSERT INTO business VALUES (?)", [`beside ${status}`]);
        const alone = await engine.enqueue(tx, { eventType: "X", bizKey: status, bizContext: { other: "payload" } });
        const twice = await engine.enqueue(tx, { eventType: "X", bizKey: status });
        return [alone, twice];
      });
      expect(answers).toEqual([
        { id, inserted: false, status },
        { id, inserted: false, status },
      ]);
      expect(await scenario.row(id)).toEqual(before);
      expect(await countOf(status)).toBe(1);
    }
    expect(await scenario.rows("SELECT id FROM business")).toHaveLength(5);
    gate.open();
    await started.rowWhere(made["running"]?.id ?? "", "succeeds", ({ status }) => status === "succeeded");
    const marker = await started.enqueue({ eventType: "X", bizKey: "marker" });
    await started.rowWhere(marker.id, "succeeds", ({ status }) => status === "succeeded");
    expect([...log.keys].sort()).toEqual(["failed", "marker", "running", "succeeded"]);
  });

  it("twice in one transaction: one row, one execution, the second answer names the first", async () => {
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "X" })]);
    const { engine } = started;
    const [one, two] = await engine.transaction(async (tx) => [
      await engine.enqueue(tx, { eventType: "X", bizKey: "twice" }),
      await engine.enqueue(tx, { eventType: "X", bizKey: "twice" }),
    ]);
    expect(two).toEqual({ id: one?.id, inserted: false, status: one?.status });
    await started.rowWhere(one?.id ?? "", "succeeds", ({ status }) => status === "succeeded");
    const both = await engine.transaction((tx) =>
      Promise.all(["side", "side"].map((bizKey) => engine.enqueue(tx, { eventType: "X", bizKey }))),
    );
    expect(both.filter(({ inserted }) => inserted)).toHaveLength(1);
    expect(new Set(both.map(({ id }) => id)).size).toBe(1);
    await started.rowWhere(both[0]?.id ?? "", "succeeds", ({ status }) => status === "succeeded");
    expect([log.count("twice"), log.count("side"), await countOf("twice"), await countOf("side")]).toEqual([
      1, 1, 1, 1,
    ]);
  });

  it.each(["REPEATABLE READ", "READ COMMITTED"])(
    "two transactions at the same time (%s): the second waits, and succeeds if the first rolls back",
    async (isolation) => {
      const log = new CallLog();
      const started = await scenario.start([log.handler({ eventType: "X", pollIntervalMs: 100 })]);
      const { engine } = started;
      const bizKey = `rolled back, ${isolation}`;
      const [first, second] = [
        await scenario.database.pool.getConnection(),
        await scenario.database.pool.getConnection(),
      ];
      for (const connection of [first, second]) {
        await connection.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
        await connection.beginTransaction();
        // Under REPEATABLE READ this fixes what its plain reads will see.
        await connection.query("SELECT COUNT(*) FROM t_retry_task");
      }
      const firstVerdict = await engine.enqueue(first, { eventType: "X", bizKey });
      const waiting = engine.enqueue(second, { eventType: "X", bizKey });
      await waitsForLock(second);
      await first.rollback();
      engine.afterRollback(first);
      const verdict = await waiting;
      expect(verdict.inserted).toBe(true);
      await second.commit();
      await engine.afterCommit(second);
      first.release();
      second.release();
      await started.rowWhere(verdict.id, "succeeds", ({ status }) => status === "succeeded");
      expect([log.count(bizKey), await countOf(bizKey)]).toEqual([1, 1]);
      expect(await scenario.row(firstVerdict.id)).toBeUndefined();
      expect(started.of("stale")).toEqual([]);
    },
  );

  it.each(["REPEATABLE READ", "READ COMMITTED"])(
    "two transactions at the same time (%s): if the first commits, the second gets its id, though it read before",
    async (isolation) => {
      const log = new CallLog();
      const started = await scenario.start([log.handler({ eventType: "X", pollIntervalMs: 100 })]);
      const { engine } = started;
      const bizKey = `committed, ${isolation}`;
      const first = await begun();
      const second = await scenario.database.pool.getConnection();
      await second.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
      await second.beginTransaction();
      await second.query("SELECT COUNT(*) FROM t_retry_task");
      const { id } = await engine.enqueue(first, { eventType: "X", bizKey });
      const waiting = engine.enqueue(second, { eventType: "X", bizKey });
      await waitsForLock(second);
      await first.commit();
      await engine.afterCommit(first);
      expect(await waiting).toMatchObject({ id, inserted: false });
      await second.query("INSERT INTO business VALUES (?)", [bizKey]);
      await second.commit();
      await engine.afterCommit(second);
      first.release();
      second.release();
      await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
      expect([log.count(bizKey), await countOf(bizKey)]).toEqual([1, 1]);
      expect(await scenario.rows("SELECT id FROM business WHERE id = ?", [bizKey])).toHaveLength(1);
    },
  );

  it("a key that is no longer live can be used again, and runs again as its own task", async () => {
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "X" })]);
    const one = await started.enqueue({ eventType: "X", bizKey: "again" });
    await started.rowWhere(one.id, "succeeds", ({ status }) => status === "succeeded");
    // What the archiver does with the live row.
    await scenario.rows("DELETE FROM t_retry_task WHERE id = ?", [BigInt(one.id)]);
    const two = await started.enqueue({ eventType: "X", bizKey: "again" });
    expect(two.inserted).toBe(true);
    expect(two.id).not.toBe(one.id);
    await started.rowWhere(two.id, "succeeds", ({ status }) => status === "succeeded");
    expect(log.calls.filter(({ bizKey }) => bizKey === "again").map(({ id }) => id)).toEqual([one.id, two.id]);
  });

  it("the same key under another type is another task", async () => {
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "X" }), log.handler({ eventType: "x" })]);
    const verdicts = await started.engine.transaction((tx) =>
      started.engine.enqueueMany(tx, [
        { eventType: "X", bizKey: "typed" },
        { eventType: "x", bizKey: "typed" },
        { eventType: "X", bizKey: "Typed" },
        { eventType: "X", bizKey: "typed " },
      ]),
    );
    expect(verdicts.map(({ inserted }) => inserted)).toEqual([true, true, true, true]);
    for (const { id } of verdicts) await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(log.calls).toHaveLength(4);
  });
});

describe('E14: onDuplicate: "throw"', () => {
  it("throws a typed error with the id; the transaction can go on and commit", async () => {
    const started = await scenario.start([new CallLog().handler({ eventType: "X" })]);
    const { engine } = started;
    const { id } = await started.enqueue({ eventType: "X", bizKey: "thrown" });
    await engine.transaction(async (tx) => {
      const error: unknown = await engine
        .enqueue(tx, { eventType: "X", bizKey: "thrown", onDuplicate: "throw" })
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DuplicateTaskError);
      expect(error).toBeInstanceOf(RedriveError);
      expect(error).toMatchObject({ code: "DUPLICATE_TASK", existingId: id });
      expect((error as Error).message).toContain(`X/thrown exists already: ${id}`);
      await tx.query("INSERT INTO business VALUES ('after throw')");
    });
    expect(await scenario.rows("SELECT id FROM business WHERE id = 'after throw'")).toHaveLength(1);
    expect(await countOf("thrown")).toBe(1);
  });

  it("a key twice in one list throws too", async () => {
    const { engine } = await scenario.start([new CallLog().handler({ eventType: "X" })]);
    const task = { eventType: "X", bizKey: "twice in list", onDuplicate: "throw" as const };
    await expect(engine.transaction((tx) => engine.enqueueMany(tx, [task, task]))).rejects.toMatchObject({
      code: "DUPLICATE_TASK",
    });
    expect(await countOf("twice in list")).toBe(0);
  });
});

describe("E14: enqueueMany", () => {
  it("duplicates inside the list and against the table: one verdict per task, in order, each id right", async () => {
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "X", concurrency: 2, pollIntervalMs: 50 })]);
    const { engine } = started;
    const old = await started.enqueue({ eventType: "X", bizKey: "many-old" });
    await started.rowWhere(old.id, "succeeds", ({ status }) => status === "succeeded");
    const keys = ["many-a", "many-old", "many-b", "many-a", "many-old", "many-c"];
    const verdicts = await engine.transaction((tx) =>
      engine.enqueueMany(
        tx,
        keys.map((bizKey) => ({ eventType: "X", bizKey })),
      ),
    );
    expect(verdicts.map(({ inserted }) => inserted)).toEqual([true, false, true, false, false, true]);
    expect([verdicts[1], verdicts[4]].map((verdict) => verdict?.id)).toEqual([old.id, old.id]);
    expect(verdicts[3]?.id).toBe(verdicts[0]?.id);
    for (const [index, verdict] of verdicts.entries()) {
      expect((await scenario.row(verdict.id))?.bizKey).toBe(keys[index]);
      await started.rowWhere(verdict.id, "succeeds", ({ status }) => status === "succeeded");
    }
    expect([...log.keys].sort()).toEqual(["many-a", "many-b", "many-c", "many-old"]);
  });

  it("across several statements: 1,200 tasks of which 200 are repeated and 100 exist", async () => {
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "BULK", concurrency: 8, pollIntervalMs: 100 })]);
    const { engine } = started;
    const key = (index: number) => ({ eventType: "BULK", bizKey: `bulk-${index}` });
    const existing = Array.from({ length: 100 }, (_, index) => key(index * 10));
    const before = await engine.transaction((tx) => engine.enqueueMany(tx, existing));
    const list = Array.from({ length: 1_200 }, (_, index) => key(index % 1_000));
    const verdicts = await engine.transaction((tx) => engine.enqueueMany(tx, list));
    expect(verdicts.filter(({ inserted }) => inserted)).toHaveLength(900);
    expect(verdicts[0]?.id).toBe(before[0]?.id);
    expect(new Set(verdicts.map(({ id }) => id)).size).toBe(1_000);
    await waitFor("all to be done", async () => (await scenario.statuses("BULK"))["succeeded"] === 1_000, 60_000);
    expect([log.calls.length, new Set(log.keys).size]).toEqual([1_000, 1_000]);
  });
});

describe("E14: a batch with a duplicate, in an open REPEATABLE READ transaction", () => {
  it("makes no insert of neighbouring keys wait", async () => {
    const started = await scenario.start([new CallLog().handler({ eventType: "X" }, () => true)], {
      eager: false,
      poll: false,
    });
    await started.enqueue({ eventType: "X", bizKey: "b-exists" });
    const business = await BusinessConnection.open(scenario.database);
    const connection = await begun();
    try {
      await connection.query("SELECT COUNT(*) FROM t_retry_task");
      const verdicts = await started.engine.enqueueMany(
        connection,
        ["b-exists", "m-10", "m-20"].map((bizKey) => ({ eventType: "X", bizKey })),
      );
      expect(verdicts.map((verdict) => verdict.inserted)).toEqual([false, true, true]);
      for (const bizKey of ["m-05", "m-15", "m-25", "z"]) {
        expect(await business.insert({ eventType: "X", bizKey, dueAt: new Date() }), bizKey).toBe("done");
      }
    } finally {
      await connection.rollback();
      connection.release();
      await business.close();
    }
  });
});

describe("E14: over a caller's session that speaks latin1 and knows no backslash", () => {
  it("creates, recognises and runs every key and payload byte for byte", async () => {
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "X" }, () => true)]);
    const connection = await mysql.createConnection({ ...scenario.database.connection, charset: "latin1" });
    await connection.query("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES'");
    try {
      const keys = ["订单-1", "o'brien\\", "plain-1", "😀"];
      const create = () =>
        started.engine.enqueueMany(
          connection,
          keys.map((bizKey) => ({ eventType: "X", bizKey, bizContext: { text: `${bizKey} "quoted" ?` } })),
        );
      const [first, second] = [await create(), await create()];
      expect(first.map((verdict) => verdict.inserted)).toEqual([true, true, true, true]);
      expect(second.map(({ id, inserted }) => [id, inserted])).toEqual(first.map(({ id }) => [id, false]));
      await started.engine.afterCommit(connection);
      for (const [index, { id }] of first.entries()) {
        const row = await started.rowWhere(id, "has succeeded", (found) => found.status === "succeeded");
        expect(row.bizKey).toBe(keys[index]);
        expect(JSON.parse(row.bizContext)).toEqual({ text: `${keys[index]} "quoted" ?` });
      }
    } finally {
      await connection.end();
    }
  });
});

describe("E14: over a pool that shapes its rows in its own way", () => {
  it.each([
    ["rowsAsArray", { rowsAsArray: true }],
    ["nestTables", { nestTables: true }],
    [
      "a typeCast of TINY to boolean",
      { typeCast: (field: { type: string }, next: () => unknown) => (field.type === "TINY" ? true : next()) },
    ],
  ])("%s: verdicts are the same", async (_name, options) => {
    const started = await scenario.start([new CallLog().handler({ eventType: "X" }, () => true)], {
      eager: false,
      poll: false,
    });
    const connection = await mysql.createConnection({
      ...scenario.database.connection,
      ...options,
    } as ConnectionOptions);
    try {
      const tasks = ["shape-1", "shape-2"].map((bizKey) => ({ eventType: "X", bizKey }));
      const first = await started.engine.enqueueMany(connection, tasks);
      const second = await started.engine.enqueueMany(connection, tasks);
      expect(first.map(({ inserted }) => inserted)).toEqual([true, true]);
      expect(second).toEqual(first.map(({ id }) => ({ id, inserted: false, status: "pending" })));
    } finally {
      await connection.end();
      await scenario.rows("DELETE FROM t_retry_task WHERE biz_key LIKE 'shape-%'");
    }
  });
});

describe("E14: all other database errors stay what they are", () => {
  it("a lock wait that ran out, a read-only transaction, a missing table", async () => {
    const { engine } = await scenario.start([new CallLog().handler({ eventType: "X" })]);
    const [first, second] = [await begun(), await begun()];
    await engine.enqueue(first, { eventType: "X", bizKey: "locked" });
    await second.query("SET SESSION innodb_lock_wait_timeout = 1");
    await expect(engine.enqueue(second, { eventType: "X", bizKey: "locked" })).rejects.toMatchObject({ errno: 1205 });
    // Only the statement was undone: the transaction goes on.
    await second.query("INSERT INTO business VALUES ('after 1205')");
    await second.commit();
    await first.rollback();
    await second.query("START TRANSACTION READ ONLY");
    await expect(engine.enqueue(second, { eventType: "X", bizKey: "read only" })).rejects.toMatchObject({
      errno: 1792,
    });
    await second.rollback();
    engine.afterRollback(first);
    engine.afterRollback(second);
    first.destroy();
    second.destroy();
    expect(await scenario.rows("SELECT id FROM business WHERE id = 'after 1205'")).toHaveLength(1);
    // Places that these enqueues had reserved are free again.
    expect(engine.health().pools["X"]).toMatchObject({ running: 0, queued: 0 });
  });

  it("another unique key that a trigger hits is not taken for a duplicate task", async () => {
    const log = new CallLog();
    const { engine } = await scenario.start([log.handler({ eventType: "X" })]);
    await scenario.rows("CREATE TABLE seen (biz_key varchar(64) PRIMARY KEY) ENGINE=InnoDB");
    await scenario.rows("INSERT INTO seen VALUES ('trigger')");
    await scenario.rows(
      "CREATE TRIGGER seen_tasks BEFORE INSERT ON t_retry_task FOR EACH ROW INSERT INTO seen VALUES (LEFT(NEW.biz_key, 64))",
    );
    try {
      const db = drizzle(scenario.database.pool as Pool);
      for (const attempt of [
        () => engine.transaction((tx) => engine.enqueue(tx, { eventType: "X", bizKey: "trigger" })),
        () => engine.transaction((tx) => engine.enqueueMany(tx, [{ eventType: "X", bizKey: "trigger" }])),
      ]) {
        await expect(attempt()).rejects.toMatchObject({
          errno: 1062,
          message: expect.stringContaining("PRIMARY") as string,
        });
      }
      await expect(
        db.transaction((tx) => engine.enqueue(tx, { eventType: "X", bizKey: "trigger" })),
      ).rejects.toMatchObject({ errno: 1062 });
      expect(await countOf("trigger")).toBe(0);
    } finally {
      await scenario.rows("DROP TRIGGER seen_tasks");
    }
    expect(log.calls).toEqual([]);
  });
});
