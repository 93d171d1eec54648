import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/mysql2";
import mysql, { type Connection } from "mysql2/promise";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  classifyDatabaseError,
  isContention,
  isMysqlOutage,
  isDuplicateKey,
  isOutage,
  mustDestroyConnection,
} from "./mysql-errors.ts";
import { createTestDatabase, type TestDatabase } from "./testing/test-database.ts";

let test: TestDatabase;
const opened: Connection[] = [];
beforeAll(async () => {
  test = await createTestDatabase({ migrated: false });
  await test.pool.query("CREATE TABLE item (id INT PRIMARY KEY, value INT NOT NULL, name VARCHAR(3)) ENGINE=InnoDB");
  await test.pool.query("INSERT INTO item VALUES (1, 0, ''), (2, 0, '')");
});
afterEach(() => {
  for (const connection of opened.splice(0)) connection.destroy();
});
afterAll(() => test.drop());

async function connect(): Promise<Connection> {
  const connection = await mysql.createConnection(test.connection);
  connection.on("error", () => undefined);
  await connection.query("SET SESSION innodb_lock_wait_timeout = 1");
  opened.push(connection);
  return connection;
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("no error was raised"),
    (error: unknown) => error,
  );
}

describe("classifyDatabaseError, with errors of a real server", () => {
  it("knows a duplicate key", async () => {
    const error = await errorOf(test.pool.query("INSERT INTO item VALUES (1, 0, '')"));
    expect(classifyDatabaseError(error)).toBe("duplicate_key");
    expect(isDuplicateKey(error)).toBe(true);
    expect(mustDestroyConnection(error)).toBe(false);
  });

  it("knows a duplicate key under the ORM's own error", async () => {
    const orm = drizzle(test.pool);
    expect(isDuplicateKey(await errorOf(orm.execute(sql`INSERT INTO item VALUES (1, 0, '')`)))).toBe(true);
  });

  it("knows a deadlock: one of two that wait for each other", async () => {
    const [one, two] = [await connect(), await connect()];
    await one.query("SET SESSION innodb_lock_wait_timeout = 20");
    await two.query("SET SESSION innodb_lock_wait_timeout = 20");
    await one.query("START TRANSACTION");
    await two.query("START TRANSACTION");
    await one.query("UPDATE item SET value = 1 WHERE id = 1");
    await two.query("UPDATE item SET value = 1 WHERE id = 2");
    const results = await Promise.allSettled([
      one.query("UPDATE item SET value = 1 WHERE id = 2"),
      two.query("UPDATE item SET value = 1 WHERE id = 1"),
    ]);
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    expect(errors.map(classifyDatabaseError)).toEqual(["deadlock"]);
    expect(errors.every(isContention)).toBe(true);
  });

  it("knows a lock wait that took too long", async () => {
    const [one, two] = [await connect(), await connect()];
    await one.query("START TRANSACTION");
    await one.query("UPDATE item SET value = 1 WHERE id = 1");
    const error = await errorOf(two.query("UPDATE item SET value = 2 WHERE id = 1"));
    expect(classifyDatabaseError(error)).toBe("lock_wait");
    expect(isContention(error)).toBe(true);
    expect(mustDestroyConnection(error)).toBe(false);
  });

  it("knows a refused NOWAIT as a lock wait", async () => {
    const [one, two] = [await connect(), await connect()];
    await one.query("START TRANSACTION");
    await one.query("UPDATE item SET value = 1 WHERE id = 1");
    const error = await errorOf(two.query("SELECT id FROM item WHERE id = 1 FOR UPDATE NOWAIT"));
    expect(classifyDatabaseError(error)).toBe("lock_wait");
  });

  it("knows a row that changed since the snapshot as contention (1020)", async (context) => {
    const [one, two] = [await connect(), await connect()];
    if (test.kind !== "mariadb") return context.skip("MySQL has no snapshot isolation");
    await one.query("SET SESSION innodb_snapshot_isolation = ON");
    await one.query("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    await two.query("UPDATE item SET value = value + 1 WHERE id = 1");
    const error = await errorOf(one.query("UPDATE item SET value = 7 WHERE id = 1"));
    expect(error).toMatchObject({ errno: 1020 });
    expect(classifyDatabaseError(error)).toBe("deadlock");
  });

  it("knows a connection that was killed while idle", async () => {
    const [victim, killer] = [await connect(), await connect()];
    const ended = new Promise((resolve) => victim.on("end", resolve));
    await killer.query(`KILL ${victim.threadId}`);
    const error = await errorOf(victim.query("SELECT 1"));
    await ended;
    const later = await errorOf(victim.query("SELECT 1"));
    for (const seen of [error, later]) {
      expect(classifyDatabaseError(seen)).toBe("connection_lost");
      expect(isOutage(seen)).toBe(true);
      expect(mustDestroyConnection(seen)).toBe(true);
    }
  });

  it.each(["KILL", "KILL QUERY"])("knows a statement cut off by %s as an unknown outcome", async (kill) => {
    const [victim, killer] = [await connect(), await connect()];
    await killer.query("START TRANSACTION");
    await killer.query("SELECT id FROM item WHERE id = 2 FOR UPDATE");
    await victim.query("SET SESSION innodb_lock_wait_timeout = 20");
    const cutOff = errorOf(victim.query("UPDATE item SET value = 3 WHERE id = 2"));
    await expect.poll(() => isWaiting(killer, victim.threadId)).toBe(true);
    await killer.query(`${kill} ${victim.threadId}`);
    expect(classifyDatabaseError(await cutOff)).toBe("connection_lost");
  });

  it("knows a refused write as read-only", async () => {
    const connection = await connect();
    await connection.query("SET SESSION TRANSACTION READ ONLY");
    const error = await errorOf(connection.query("UPDATE item SET value = 1 WHERE id = 1"));
    expect(error).toMatchObject({ errno: 1792 });
    expect(classifyDatabaseError(error)).toBe("read_only");
    expect(isOutage(error)).toBe(true);
    expect(mustDestroyConnection(error)).toBe(true);
  });

  it("knows a server that does not answer at its port", async () => {
    const error = await errorOf(mysql.createConnection({ host: "127.0.0.1", port: 1, user: "root" }));
    expect(classifyDatabaseError(error)).toBe("connection_lost");
  });

  it("knows a host without an address", async () => {
    const error = await errorOf(mysql.createConnection({ host: "nowhere.invalid", user: "root" }));
    expect(classifyDatabaseError(error)).toBe("connection_lost");
  });

  it.each(["SELEC 1", "SELECT * FROM missing", "INSERT INTO item VALUES (9, 0, 'too long')"])(
    "calls a mistake permanent: %s",
    async (text) => {
      const connection = await connect();
      await connection.query("SET SESSION sql_mode = 'STRICT_TRANS_TABLES'");
      const error = await errorOf(connection.query(text));
      expect(classifyDatabaseError(error)).toBe("permanent");
      expect(isOutage(error)).toBe(false);
    },
  );
});

async function isWaiting(observer: Connection, threadId: number): Promise<boolean> {
  const [rows] = await observer.query(
    "SELECT state FROM information_schema.processlist WHERE id = ? AND command = 'Query'",
    [threadId],
  );
  return (rows as unknown[]).length > 0;
}

describe("classifyDatabaseError, with errors as drivers give them", () => {
  it.each([
    ["a socket file that is gone", { socketPath: "/nonexistent/redrive.sock" }],
    ["a port where nobody listens", { host: "127.0.0.1", port: 1 }],
  ])("takes %s for an outage", async (_what, place) => {
    const error: unknown = await mysql.createConnection({ user: "root", ...place }).catch((caught: unknown) => caught);
    expect(classifyDatabaseError(error)).toBe("connection_lost");
    expect(isMysqlOutage(error)).toBe(true);
  });

  it.each([
    [{ errno: 1290, code: "ER_OPTION_PREVENTS_STATEMENT" }, "read_only"],
    [{ errno: 1836, code: "ER_READ_ONLY_MODE" }, "read_only"],
    [{ errno: 1040, code: "ER_CON_COUNT_ERROR" }, "capacity"],
    [{ errno: 1114, code: "ER_RECORD_FILE_FULL" }, "capacity"],
    [{ errno: 1053, code: "ER_SERVER_SHUTDOWN" }, "connection_lost"],
    [{ errno: 4031, code: "ER_CLIENT_INTERACTION_TIMEOUT" }, "connection_lost"],
    [{ code: "ECONNRESET", errno: -104, syscall: "read" }, "connection_lost"],
    [{ code: "PROTOCOL_SEQUENCE_TIMEOUT", fatal: true }, "connection_lost"],
    [new Error("Can't add new command when connection is in closed state"), "connection_lost"],
    [new Error("Pool is closed."), "connection_lost"],
    [new Error("handler says: no"), "permanent"],
    ["text", "permanent"],
    [undefined, "permanent"],
  ] as const)("%j is %s", (error, kind) => {
    expect(classifyDatabaseError(error)).toBe(kind);
  });

  it("looks through errors of our own that carry a code", () => {
    const cause = Object.assign(new Error("lost"), { code: "PROTOCOL_CONNECTION_LOST", fatal: true });
    const wrapped = Object.assign(new Error("step 3 failed", { cause }), { code: "MIGRATION_FAILED" });
    expect(classifyDatabaseError(wrapped)).toBe("connection_lost");
  });

  it("does not follow a chain of causes for ever", () => {
    const error: Error & { cause?: unknown } = new Error("loop");
    error.cause = error;
    expect(classifyDatabaseError(error)).toBe("permanent");
  });
});
