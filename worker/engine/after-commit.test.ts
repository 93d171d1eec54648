import { drizzle } from "drizzle-orm/mysql2";
import { sql } from "drizzle-orm";
import type { PoolConnection } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mysql2Seam } from "../../db/client.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { CommitHookRegistry, watchRollbacks } from "./after-commit.ts";
import type { TransactionHandle } from "./transaction-handle.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase({ migrated: false });
  await test.pool.query("CREATE PROCEDURE undo_all() ROLLBACK");
  await test.pool.query("CREATE TABLE own (id int PRIMARY KEY) ENGINE=InnoDB");
});
afterAll(() => test.drop());

/** How many doubts the statements of `work` raise. */
async function doubts(work: (connection: PoolConnection) => Promise<unknown>): Promise<number> {
  const connection = await test.pool.getConnection();
  let count = 0;
  const unwatch = watchRollbacks(connection, () => count++);
  try {
    await connection.query("START TRANSACTION");
    await work(connection);
    return count;
  } finally {
    unwatch();
    await connection.query("ROLLBACK");
    connection.release();
  }
}

describe("what may have undone an enqueued row although the transaction commits", () => {
  it.each([
    ["ROLLBACK TO s"],
    ["rollback to savepoint s"],
    ["Rollback Work To Savepoint `s`"],
    ["/* of the ORM */ ROLLBACK\n  TO\tSAVEPOINT s"],
    ["ROLLBACK"],
    ["CALL undo_all()"],
  ])("%s is noticed", async (text) => {
    for (const given of [text, { sql: text }]) {
      const count = await doubts(async (connection) => {
        await connection.query("SAVEPOINT s");
        await connection.query(given as string);
      });
      expect(count).toBe(1);
    }
  });

  it("the rollback of a nested Drizzle transaction is noticed, its release is not", async () => {
    const nested = (isUndone: boolean) =>
      doubts((connection) =>
        drizzle(connection as never).transaction(async (outer) => {
          await outer
            .transaction(async (inner) => {
              await inner.execute(sql`SELECT 1`);
              if (isUndone) throw new Error("undo");
            })
            .catch(() => undefined);
        }),
      );
    expect(await nested(true)).toBeGreaterThan(0);
    expect(await nested(false)).toBe(0);
  });

  it("words in a payload of Redrive's own statement raise no doubt", async () => {
    const text = "SELECT 'please call before the rollback'";
    expect(await doubts((connection) => mysql2Seam(connection).query(text, []))).toBe(0);
    expect(await doubts((connection) => connection.query(text))).toBe(1);
  });

  it("the connection's own rollback() is noticed", async () => {
    expect(await doubts((connection) => connection.rollback())).toBe(1);
  });

  it("a statement that failed is noticed: a deadlock undoes the whole transaction, swallowed or not", async () => {
    const failing = (connection: PoolConnection) => connection.query("SELECT * FROM missing").catch(() => undefined);
    expect(await doubts(failing)).toBe(1);
    expect(await doubts((connection) => connection.execute("SELECT * FROM missing").catch(() => undefined))).toBe(1);
  });

  it("the caller gets errors and results as they are", async () => {
    await doubts(async (connection) => {
      await expect(connection.query("SELECT * FROM missing")).rejects.toMatchObject({ errno: 1146 });
      const [rows] = await connection.execute("SELECT ? AS one", [1]);
      expect(rows).toEqual([{ one: 1 }]);
    });
  });

  it("other statements are not", async () => {
    const count = await doubts(async (connection) => {
      await connection.query("SAVEPOINT s");
      await connection.query("INSERT INTO own VALUES (1)");
      await connection.execute("SELECT 1");
      await connection.query("RELEASE SAVEPOINT s");
    });
    expect(count).toBe(0);
  });

  it("nothing is left on the connection afterwards", async () => {
    const connection = await test.pool.getConnection();
    let count = 0;
    const before = Object.keys(connection).sort();
    watchRollbacks(connection, () => count++)();
    expect(Object.keys(connection).sort()).toEqual(before);
    await connection.query("SAVEPOINT s").then(() => connection.query("ROLLBACK"));
    connection.release();
    expect(count).toBe(0);
  });
});

describe("CommitHookRegistry", () => {
  const handle = (): TransactionHandle => ({ query: () => Promise.resolve([]), execute: () => Promise.reject() });

  it("gives the same hooks for the same transaction until they are taken", () => {
    const registry = new CommitHookRegistry();
    const tx = handle();
    const hooks = registry.of(tx, 0, 0);
    expect(registry.of(tx, 5, 0)).toBe(hooks);
    expect(registry.of(handle(), 5, 0)).not.toBe(hooks);
    expect(registry.take(tx)).toBe(hooks);
    expect(registry.take(tx)).toBeUndefined();
    expect(registry.of(tx, 6, 0)).not.toBe(hooks);
  });

  it("verifies those whose commit the engine does not run itself", () => {
    const registry = new CommitHookRegistry();
    expect(registry.of(handle(), 0, 0).mustVerify).toBe(true);
    expect(registry.open(0, 0, false).mustVerify).toBe(false);
  });

  it("knows which have been open for too long, and forgets those that ended", () => {
    const registry = new CommitHookRegistry();
    const [old, young] = [registry.open(1_000, 0, false), registry.open(2_000, 0, false)];
    const ended = registry.open(500, 0, false);
    registry.close(ended);
    expect(registry.openSince(1_000)).toEqual([]);
    expect(registry.openSince(1_001)).toEqual([old]);
    expect(registry.openSince(9_000)).toEqual([old, young]);
  });
});
