import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withStatementLimit } from "./statement-limit.ts";
import { createTestDatabase, type TestDatabase } from "./testing/test-database.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase({ migrated: false, connectionLimit: 1 });
});
afterAll(() => test.drop());

const slow = sql`SELECT COUNT(*) AS n FROM information_schema.COLUMNS a, information_schema.COLUMNS b, information_schema.COLUMNS c`;

it("ends a statement that takes longer, on the server, with the error that stands for it", async () => {
  const work = test.database.use((session) => withStatementLimit(session, 50, () => session.rows(slow)));
  await expect(work).rejects.toMatchObject({ errno: test.kind === "mysql" ? 3024 : 1969 });
});

it("leaves the connection without a limit for the next", async () => {
  const variable = test.kind === "mysql" ? "max_execution_time" : "max_statement_time";
  const read = () =>
    test.database.use((session) =>
      session.rows<{ limit: string }>(sql`SELECT ${sql.raw(`@@${variable}`)} AS \`limit\``),
    );
  const [before] = await read();
  const inside = await test.database.use((session) =>
    withStatementLimit(session, 1_500, () =>
      session.rows<{ limit: string }>(sql`SELECT ${sql.raw(`@@${variable}`)} AS \`limit\``),
    ),
  );
  expect(Number(inside[0]?.limit)).toBe(test.kind === "mysql" ? 1_500 : 1.5);
  expect(await read()).toEqual([before]);
});
