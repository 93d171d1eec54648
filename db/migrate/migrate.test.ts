import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { SessionZone } from "../session-zone.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { SchemaHistoryError } from "./check-history.ts";
import { applyMigrations, migrate, MigrationStepError } from "./migrate.ts";
import { openMigrationConnection } from "./migration-connection.ts";
import { knownMigrations, type Migration, parseMigration } from "./migration-files.ts";
import { MigrationLockError, takeMigrationLock } from "./migration-lock.ts";
import { readMigrationRecords } from "./migration-table.ts";
import { migrationState } from "./migration-state.ts";
import { planMigrations } from "./plan-migrations.ts";

const databases: TestDatabase[] = [];
afterEach(async () => {
  await Promise.all(databases.splice(0).map((database) => database.drop()));
});

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ migrated: false });
  databases.push(database);
  return database;
}

async function tableNames(test: TestDatabase): Promise<string[]> {
  const rows = await test.database.use((session) =>
    session.rows<{ name: string }>(
      sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1`,
    ),
  );
  return rows.map(({ name }) => name);
}

const records = (test: TestDatabase) => test.database.use(readMigrationRecords);

/** Two small migrations of three steps, so that each test can stop at any of them. */
const small: Migration[] = [
  parseMigration(
    0,
    "begin",
    [
      "CREATE TABLE `t_one` (`id` int NOT NULL, PRIMARY KEY(`id`)) ENGINE=InnoDB COLLATE={{collation}};",
      "ALTER TABLE t_one ADD COLUMN note varchar(10);",
      "ALTER TABLE t_one ADD KEY idx_note (note);",
    ].join("\n--> statement-breakpoint\n"),
  ),
  parseMigration(1, "more", "ALTER TABLE t_one DROP INDEX idx_note;"),
];

describe("migrate", () => {
  it("installs everything on an empty database and notes it as done, with names and checksums", async () => {
    const test = await emptyDatabase();
    const known = await knownMigrations();
    const result = await migrate(test.connection);
    expect(result.applied).toEqual(known.map(({ version, name }) => ({ version, name })));
    expect(result.notes).toEqual([]);
    expect(await records(test)).toEqual(
      known.map(({ version, name, checksum, statements }) => ({
        version,
        name,
        checksum,
        stepsDone: statements.length,
        isDone: true,
      })),
    );
    expect(await test.database.use(migrationState)).toMatchObject({ upToDate: true, newer: false });
  });

  it("does nothing the second time", async () => {
    const test = await emptyDatabase();
    await migrate(test.connection);
    expect((await migrate(test.connection)).applied).toEqual([]);
  });

  it("writes its times in the given zone", async () => {
    const test = await emptyDatabase();
    const zone = SessionZone.parse("-08:00");
    await migrate(test.connection, { zone });
    const [row] = await test.database.use((session) =>
      session.rows<{ finished: string }>(sql`SELECT finished_time AS finished FROM t_retry_migration LIMIT 1`),
    );
    expect(Math.abs(zone.parseInstant(row?.finished ?? "").getTime() - Date.now())).toBeLessThan(60_000);
  });

  it("tells each step before it runs", async () => {
    const test = await emptyDatabase();
    const seen: string[] = [];
    await applyMigrations(test.connection, small, {
      onStep: ({ version, step, steps }) => seen.push(`${version}:${step}/${steps}`),
    });
    expect(seen).toEqual(["0:1/3", "0:2/3", "0:3/3", "1:1/1"]);
  });

  it("runs only what is new on a schema of an earlier version", async () => {
    const test = await emptyDatabase();
    await applyMigrations(test.connection, small.slice(0, 1));
    const result = await applyMigrations(test.connection, small);
    expect(result.applied).toEqual([{ version: 1, name: "more" }]);
  });

  it("names migration, step and statement when the server refuses one, keeps the steps before, and resumes there", async () => {
    const test = await emptyDatabase();
    const broken = [
      parseMigration(
        0,
        "broken",
        "CREATE TABLE t_one (id int PRIMARY KEY)\n--> statement-breakpoint\nALTER TABLE t_two ADD x int",
      ),
    ];
    const error = await applyMigrations(test.connection, broken).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MigrationStepError);
    expect(String(error)).toMatch(/migration 0 \(broken\), step 2 of 2, ALTER TABLE t_two ADD x int: .*t_two/);
    expect(await records(test)).toMatchObject([{ stepsDone: 1, isDone: false }]);
    await test.pool.query("CREATE TABLE t_two (id int PRIMARY KEY)");
    await applyMigrations(test.connection, broken);
    expect(await records(test)).toMatchObject([{ stepsDone: 2, isDone: true }]);
  });
});

describe("the history", () => {
  it("of an edited migration is refused, naming it and the way out; nothing is changed", async () => {
    const test = await emptyDatabase();
    await applyMigrations(test.connection, small.slice(0, 1));
    const edited = [parseMigration(0, "begin", "CREATE TABLE t_other (id int PRIMARY KEY)"), ...small.slice(1)];
    const error = await applyMigrations(test.connection, edited).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "SchemaHistoryError", code: "MIGRATION_EDITED" });
    expect(String(error)).toMatch(/migration 0 \(begin\) was edited after it was applied.*new migration/);
    expect((await records(test)).length).toBe(1);
  });

  it("is not edited by line ends alone", () => {
    expect(parseMigration(0, "x", "A;\r\n--> statement-breakpoint\r\nB;").checksum).toBe(
      parseMigration(0, "x", "A;\n--> statement-breakpoint\nB;").checksum,
    );
  });

  it("D5: of a newer schema is refused by migrate, plan and state, naming both versions", async () => {
    const test = await emptyDatabase();
    await migrate(test.connection);
    const known = (await knownMigrations()).length - 1;
    await test.pool.query(
      "INSERT INTO t_retry_migration VALUES (?, 'from_the_future', ?, 1, 'done', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))",
      [known + 1, "0".repeat(64)],
    );
    const message = new RegExp(
      `version ${known + 1} \\(from_the_future\\), this program knows versions up to ${known}`,
    );
    await expect(migrate(test.connection)).rejects.toThrow(message);
    await expect(planMigrations(test.connection)).rejects.toThrow(SchemaHistoryError);
    expect(await test.database.use(migrationState)).toEqual({
      applied: known + 1,
      expected: known,
      upToDate: false,
      newer: true,
    });
  });
});

describe("migrationState", () => {
  it("answers -1 before the first installation", async () => {
    const test = await emptyDatabase();
    expect(await test.database.use(migrationState)).toMatchObject({ applied: -1, upToDate: false, newer: false });
  });

  it("is not up to date while the last migration is only begun", async () => {
    const test = await emptyDatabase();
    await migrate(test.connection);
    await test.pool.query("UPDATE t_retry_migration SET state = 'running' ORDER BY version DESC LIMIT 1");
    expect((await test.database.use(migrationState)).upToDate).toBe(false);
  });
});

describe("planMigrations", () => {
  it("lists every statement on an empty database, as the server would be sent it, and writes nothing", async () => {
    const test = await emptyDatabase();
    const plan = await planMigrations(test.connection);
    const known = await knownMigrations();
    expect(plan.map(({ version, name }) => ({ version, name }))).toEqual(
      known.map(({ version, name }) => ({ version, name })),
    );
    expect(plan.map(({ statements }) => statements.length)).toEqual(known.map(({ statements }) => statements.length));
    expect(JSON.stringify(plan)).not.toContain("{{");
    expect(await tableNames(test)).toEqual([]);
  });

  it("is empty when there is nothing to do", async () => {
    const test = await emptyDatabase();
    await migrate(test.connection);
    expect(await planMigrations(test.connection)).toEqual([]);
  });

  it("leaves tables of others alone", async () => {
    const test = await emptyDatabase();
    await test.pool.query("CREATE TABLE orders (id int PRIMARY KEY)");
    await planMigrations(test.connection);
    expect(await tableNames(test)).toEqual(["orders"]);
  });

  it("lists only the rest of a migration that was cut off", async () => {
    const test = await emptyDatabase();
    await migrate(test.connection);
    const last = (await knownMigrations()).at(-1);
    await test.pool.query(
      "UPDATE t_retry_migration SET state = 'running', steps_done = steps_done - 1 WHERE version = ?",
      [last?.version],
    );
    expect(await planMigrations(test.connection)).toMatchObject([{ version: last?.version }]);
  });
});

describe("a migration that was cut off", () => {
  it.each([0, 1, 2])("D5: resumes at step %i although its DDL was applied and not recorded", async (step) => {
    const test = await emptyDatabase();
    const first = small.slice(0, 1);
    await applyMigrations(test.connection, first);
    if (step === 1) await test.pool.query("ALTER TABLE t_one DROP INDEX idx_note");
    if (step === 0) await test.pool.query("ALTER TABLE t_one DROP INDEX idx_note, DROP COLUMN note");
    await test.pool.query("UPDATE t_retry_migration SET state = 'running', steps_done = ?", [step]);
    await applyMigrations(test.connection, first);
    expect(await records(test)).toMatchObject([{ stepsDone: 3, isDone: true }]);
    const [rows] = await test.pool.query("SHOW INDEX FROM t_one WHERE Key_name = 'idx_note'");
    expect((rows as unknown[]).length).toBe(1);
  });

  it("resumes at a DROP that was applied and not recorded", async () => {
    const test = await emptyDatabase();
    await applyMigrations(test.connection, small);
    await test.pool.query("UPDATE t_retry_migration SET state = 'running', steps_done = 0 WHERE version = 1");
    await applyMigrations(test.connection, small);
    expect(await records(test)).toMatchObject([{ isDone: true }, { isDone: true }]);
  });

  it("does not take an existing thing for its own at any later step", async () => {
    const test = await emptyDatabase();
    await applyMigrations(test.connection, small.slice(0, 1));
    await test.pool.query("UPDATE t_retry_migration SET state = 'running', steps_done = 1");
    // Step 1 (the column) may have been applied; step 2 (the index) cannot: the table with it belongs to somebody else.
    await expect(applyMigrations(test.connection, small.slice(0, 1))).rejects.toMatchObject({
      cause: { errno: 1061 },
    });
  });

  it("does not take an existing table for its own in a migration that it only begins", async () => {
    const test = await emptyDatabase();
    await test.pool.query("CREATE TABLE t_one (id int PRIMARY KEY)");
    await expect(applyMigrations(test.connection, small)).rejects.toMatchObject({ cause: { errno: 1050 } });
  });
});

describe("the migration lock", () => {
  it("D5: lets one of four first installations work and the others find nothing to do", async () => {
    const test = await emptyDatabase();
    const results = await Promise.all([1, 2, 3, 4].map(() => migrate(test.connection)));
    const applied = results.map((result) => result.applied.length).sort();
    expect(applied).toEqual([0, 0, 0, (await knownMigrations()).length]);
  });

  it("D5: is waited for up to the limit, then refused by name; nothing runs without it", async () => {
    const test = await emptyDatabase();
    const holder = await openMigrationConnection(test.connection, SessionZone.utc, 5);
    try {
      await takeMigrationLock(holder, 5);
      const error = await migrate(test.connection, { lockWaitSeconds: 1 }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(MigrationLockError);
      expect(String(error)).toMatch(/another process has been migrating this database for more than 1 s/);
      expect(await tableNames(test)).toEqual(["t_retry_migration_lock"]);
    } finally {
      await holder.close();
    }
    expect((await migrate(test.connection)).applied.length).toBeGreaterThan(0);
  });

  it("D5: is free again as soon as the connection of its holder is gone", async () => {
    const test = await emptyDatabase();
    const holder = await openMigrationConnection(test.connection, SessionZone.utc, 5);
    await takeMigrationLock(holder, 5);
    const [row] = await holder.session.rows<{ id: number }>(sql`SELECT CONNECTION_ID() AS id`);
    const waiting = migrate(test.connection);
    await test.pool.query(`KILL ${row?.id ?? 0}`);
    expect((await waiting).applied.length).toBeGreaterThan(0);
    await holder.close();
  });

  it("stops the migration before its next statement when its connection was lost", async () => {
    const test = await emptyDatabase();
    const kill = async () => {
      const [rows] = await test.pool.query(
        "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND command = 'Sleep' AND id <> CONNECTION_ID()",
      );
      for (const { id } of rows as { id: number }[]) await test.pool.query(`KILL ${id}`);
    };
    const metadata = await test.pool.getConnection();
    await applyMigrations(test.connection, [parseMigration(0, "a", "CREATE TABLE t_one (id int PRIMARY KEY)")]);
    await metadata.query("START TRANSACTION");
    await metadata.query("SELECT * FROM t_one");
    const migrations = [
      parseMigration(0, "a", "CREATE TABLE t_one (id int PRIMARY KEY)"),
      parseMigration(1, "b", "ALTER TABLE t_one ADD a int\n--> statement-breakpoint\nALTER TABLE t_one ADD b int"),
    ];
    const cutOff = applyMigrations(test.connection, migrations).catch((reason: unknown) => reason);
    await expect.poll(async () => waitingStatements(test)).toContain("ALTER TABLE t_one ADD a int");
    await kill();
    await metadata.query("ROLLBACK").catch(() => undefined);
    metadata.destroy();
    expect(String(await cutOff)).toContain("the connection that held the migration lock was lost");
    await applyMigrations(test.connection, migrations);
    expect(await records(test)).toMatchObject([{ isDone: true }, { isDone: true, stepsDone: 2 }]);
  });
});

async function waitingStatements(test: TestDatabase): Promise<string[]> {
  const [rows] = await test.pool.query(
    "SELECT info FROM information_schema.processlist WHERE state LIKE 'Waiting for table metadata lock%' AND db = DATABASE()",
  );
  return (rows as { info?: string; INFO?: string }[]).map((row) => row.info ?? row.INFO ?? "");
}
