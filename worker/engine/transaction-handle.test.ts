import { drizzle } from "drizzle-orm/mysql2";
import mysqlCallback from "mysql2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "drizzle-orm";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { RedriveError } from "./errors.ts";
import { seamOf, type TransactionHandle, transactionKey } from "./transaction-handle.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const refusal = (handle: unknown): string => {
  try {
    seamOf(handle as TransactionHandle);
  } catch (error) {
    expect(error).toBeInstanceOf(RedriveError);
    expect((error as RedriveError).code).toBe("INVALID_OPTION");
    return (error as RedriveError).message;
  }
  throw new Error("was not refused");
};

describe("what a task can be enqueued in", () => {
  it("a mysql2 connection, a Drizzle transaction and a hand-written seam speak the same", async () => {
    const connection = await test.pool.getConnection();
    try {
      const own = {
        query: async (text: string, values: readonly unknown[]) =>
          (await connection.query(text, [...values]))[0] as Record<string, unknown>[],
        execute: async (text: string, values: readonly unknown[]) =>
          (await connection.query(text, [...values]))[0] as { affectedRows: number; insertId: number },
      };
      await connection.query(
        "CREATE TEMPORARY TABLE seen (id bigint AUTO_INCREMENT PRIMARY KEY, word varchar(20)) CHARSET utf8mb4",
      );
      await drizzle(connection as never).transaction(async (tx) => {
        for (const [index, handle] of [connection, tx, own].entries()) {
          const seam = seamOf(handle as TransactionHandle);
          const change = await seam.execute("INSERT INTO seen (word) VALUES (?), (?)", ["what? é 😀", `${index}`]);
          expect(change).toMatchObject({ affectedRows: 2, insertId: index * 2 + 1 });
          const rows = await seam.query("SELECT word, ? AS asked FROM seen WHERE word = ? AND id = ?", [
            null,
            `${index}`,
            BigInt(index * 2 + 2),
          ]);
          expect(rows).toEqual([{ word: `${index}`, asked: null }]);
        }
      });
    } finally {
      connection.destroy();
    }
  });

  it("a savepoint's handle stands for the same transaction as its outer one; two transactions are two", async () => {
    const db = drizzle(test.pool);
    const keys = await db.transaction(async (tx) => {
      const nested = await tx.transaction((inner) => Promise.resolve(transactionKey(inner)));
      return [transactionKey(tx), nested];
    });
    expect(keys[1]).toBe(keys[0]);
    const other = await db.transaction((tx) => Promise.resolve(transactionKey(tx)));
    expect(other).not.toBe(keys[0]);
  });
});

describe("what cannot hold a transaction is refused with the way out", () => {
  it("a pool of either kind", () => {
    expect(refusal(test.pool)).toContain("that holds your transaction");
    const callbackPool = mysqlCallback.createPool({ ...test.connection });
    expect(refusal(callbackPool)).toContain("was given a pool");
    callbackPool.end();
  });

  it("a Drizzle database over a pool: each statement would run and commit on its own", async () => {
    const db = drizzle(test.pool);
    expect(refusal(db)).toContain("Drizzle database");
    await db.execute(sql`SELECT 1`);
  });

  it("a callback connection", async () => {
    const callback = mysqlCallback.createConnection({ ...test.connection });
    expect(refusal(callback)).toContain("connection.promise()");
    expect(seamOf(callback.promise() as TransactionHandle)).toBeDefined();
    await callback.promise().end();
  });

  it.each([undefined, null, 5, "tx", {}, { query: () => undefined }])("%s", (handle) => {
    expect(refusal(handle)).toContain("query(text, values) and execute(text, values)");
  });
});
