import { sql } from "drizzle-orm";
import fc from "fast-check";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mysql2Seam } from "./client.ts";
import { Session } from "./session.ts";
import { createTestDatabase, type TestDatabase } from "./testing/test-database.ts";
import { textLiteral } from "./text-literal.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.use((session) =>
    session.run("CREATE TABLE texts (id int AUTO_INCREMENT PRIMARY KEY, t mediumtext CHARACTER SET utf8mb4 NOT NULL)"),
  );
});
afterAll(() => test.drop());

const HOSTILE = [
  "",
  "it's",
  'say "hi"',
  "back\\slash \\' \\\\",
  "what? :named ?? $1",
  "new\nline\ttab\u0000nul",
  "订单-😀-é-e\u0301",
  "'; DROP TABLE texts; --",
  "%_`",
];

describe.each([
  ["utf8mb4", {}, undefined],
  ["latin1", { charset: "latin1" }, undefined],
  ["utf8mb4 without backslash escapes", {}, "NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES"],
  ["latin1 with ANSI_QUOTES", { charset: "latin1" }, "ANSI_QUOTES,NO_BACKSLASH_ESCAPES"],
] as const)("textLiteral over a session that speaks %s", (_name, options, sqlMode) => {
  it("stores every text byte for byte", async () => {
    const connection = await mysql.createConnection({ ...test.connection, ...options });
    if (sqlMode !== undefined) await connection.query(`SET SESSION sql_mode = '${sqlMode}'`);
    const session = new Session(mysql2Seam(connection));
    const stores = async (text: string) => {
      const { insertId } = await session.change(sql`INSERT INTO texts (t) VALUES (${textLiteral(text)})`);
      const [row] = await session.rows<{ bytes: string }>(
        sql`SELECT HEX(t) AS bytes FROM texts WHERE id = ${Number(insertId)}`,
      );
      expect(Buffer.from(row?.bytes ?? "", "hex").toString("utf8")).toBe(text);
    };
    try {
      for (const text of HOSTILE) await stores(text);
      const texts = fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.toWellFormed());
      await fc.assert(fc.asyncProperty(texts, stores), { numRuns: 50 });
    } finally {
      await connection.end();
    }
  });
});
