import mysql from "mysql2/promise";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { createEngine } from "./index.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it("names a connection setting that a thread cannot be given, and leaves nothing behind", async () => {
  const authPlugins = { own: () => () => Buffer.alloc(0) };
  const pool = mysql.createPool({ ...test.connection, authPlugins });
  const engine = createEngine({ database: pool, zone: test.zone.name });
  await expect(engine.start()).rejects.toMatchObject({
    code: "INVALID_OPTION",
    message: expect.stringContaining('"authPlugins"') as string,
  });
  const [rows] = await test.pool.query("SELECT owner FROM t_retry_worker");
  expect(rows).toEqual([]);
  await engine.stop();
  await pool.end();
});
