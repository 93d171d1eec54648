import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeScript } from "../testing/node-script.ts";
import { SessionZone } from "../session-zone.ts";
import { ARTICLE_INSERT, ARTICLE_TABLE } from "../testing/article-table.ts";
import { insertTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { applyMigrations, migrate } from "./migrate.ts";
import { openMigrationConnection } from "./migration-connection.ts";
import { knownMigrations, parseMigration } from "./migration-files.ts";
import { ensureMigrationTable, readMigrationRecords, recordBegin, tableExists } from "./migration-table.ts";

let test: TestDatabase;
const processes: ChildProcess[] = [];
beforeEach(async () => {
  test = await createTestDatabase({ migrated: false });
});
afterEach(async () => {
  for (const child of processes.splice(0)) child.kill("SIGKILL");
  await test.drop();
});

/** A process of its own that migrates the test's database. `ended` answers its exit code and what it printed. */
function startMigration(): { child: ChildProcess; ended: Promise<{ code: number | null; output: string }> } {
  const script = nodeScript(new URL("../testing/migrate-process.ts", import.meta.url));
  const child = spawn(process.execPath, [...script, test.url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  processes.push(child);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { child, ended: once(child, "close").then(([code]) => ({ code: code as number | null, output })) };
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

const records = () => test.database.use(readMigrationRecords);
const stepsDone = async () => (await records())[0]?.stepsDone ?? -1;

/** Connections that are about to record a step. */
async function recordingConnections(): Promise<number[]> {
  const [rows] = await test.pool.query(
    "SELECT id AS id FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'UPDATE t_retry_migration SET steps_done%'",
  );
  return (rows as { id: number }[]).map(({ id }) => id);
}

async function expectComplete(): Promise<void> {
  const known = await knownMigrations();
  expect(await records()).toMatchObject(known.map(({ version }) => ({ version, isDone: true })));
  await test.database.use((session) => insertTaskRow(session));
}

describe("D5: two processes that start at once", () => {
  it("install an empty database once: one works, the other finds nothing to do", async () => {
    const results = await Promise.all([startMigration().ended, startMigration().ended]);
    const known = (await knownMigrations()).map(({ version }) => version);
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(results.map(({ output }) => output).sort()).toEqual([JSON.stringify(known), "[]"].sort());
    await expectComplete();
  });
});

describe("D5: a process that is killed in the middle of the migration", () => {
  it("between two steps leaves nothing to delete by hand; the next one goes on where it stopped", async () => {
    await test.pool.query(ARTICLE_TABLE);
    await test.pool.query(ARTICLE_INSERT, ["PAY", "a", "{}"]);
    const [first] = await knownMigrations();
    const stepOfTable = first?.statements.findIndex((text) => text.startsWith("CREATE TABLE `t_retry_task`")) ?? -1;
    expect(stepOfTable).toBeGreaterThan(0);
    const business = await test.pool.getConnection();
    await business.query("START TRANSACTION");
    await business.query("SELECT id FROM t_retry_task");

    const { child } = startMigration();
    await expect.poll(stepsDone, { timeout: 15_000 }).toBe(stepOfTable);
    await kill(child);
    expect(await stepsDone()).toBe(stepOfTable);
    await business.query("COMMIT");
    business.release();

    const { code, output } = await startMigration().ended;
    expect({ code, output }).toEqual({
      code: 0,
      output: JSON.stringify((await knownMigrations()).map(({ version }) => version)),
    });
    await expectComplete();
  });

  it("between a statement and its record finds it applied and goes on", async () => {
    const [first] = await knownMigrations();
    if (!first) expect.fail("no migrations");
    const preparation = await openMigrationConnection(test.connection, SessionZone.utc, 3);
    await ensureMigrationTable(preparation.session, preparation.kind);
    await recordBegin(preparation.session, first);
    await preparation.session.run("START TRANSACTION");
    await preparation.session.run("UPDATE t_retry_migration SET steps_done = 0, name = 'held' WHERE version = 0");

    const { child } = startMigration();
    const firstTable = /CREATE TABLE `(\w+)`/.exec(first.statements[0] ?? "")?.[1] ?? "";
    const isCreated = () => test.database.use((session) => tableExists(session, firstTable));
    await expect.poll(isCreated, { timeout: 15_000 }).toBe(true);
    await expect.poll(recordingConnections).toHaveLength(1);
    await kill(child);
    // The server would still run what a dead client had sent; a client that dies a moment earlier has not sent it.
    for (const id of await recordingConnections()) await test.pool.query(`KILL ${id}`);
    await expect.poll(recordingConnections).toHaveLength(0);
    await preparation.session.run("ROLLBACK");
    await preparation.close();
    expect(await stepsDone()).toBe(0);

    expect((await startMigration().ended).code).toBe(0);
    await expectComplete();
  });
});

describe("D5: creations at 50 per second while a later version migrates", () => {
  it("all succeed, none waits more than a few seconds, although a long transaction holds the table", async () => {
    await migrate(test.connection);
    const known = await knownMigrations();
    const next = parseMigration(
      known.length,
      "next",
      "ALTER TABLE t_retry_task ADD COLUMN note_of_next_version int NULL",
    );
    const business = await test.pool.getConnection();
    await business.query("START TRANSACTION");
    await business.query("SELECT id FROM t_retry_task");

    const waitsMs: number[] = [];
    const failures: unknown[] = [];
    const pending = new Set<Promise<void>>();
    const create = () => {
      const begin = performance.now();
      const insert = test.pool
        .query(ARTICLE_INSERT, ["PAY", String(begin), "{}"])
        .then(() => void waitsMs.push(performance.now() - begin))
        .catch((error: unknown) => void failures.push(error))
        .finally(() => pending.delete(insert));
      pending.add(insert);
    };
    const creator = setInterval(create, 20);
    try {
      const migrating = applyMigrations(test.connection, [...known, next], { ddlTries: 100 });
      // Twice an insert was caught behind the waiting ALTER: the ALTER gave way and came back.
      const caught = () => waitsMs.filter((wait, index) => wait > 1_000 && (waitsMs[index - 1] ?? 0) < 1_000).length;
      await expect.poll(caught, { timeout: 25_000 }).toBeGreaterThanOrEqual(2);
      await business.query("COMMIT");
      business.release();
      expect((await migrating).applied).toEqual([{ version: known.length, name: "next" }]);
    } finally {
      clearInterval(creator);
      await Promise.all(pending);
    }
    expect(failures).toEqual([]);
    expect(waitsMs.length).toBeGreaterThan(100);
    expect(Math.max(...waitsMs)).toBeLessThan(5_000);
    const [rows] = await test.pool.query("SELECT COUNT(*) AS count FROM t_retry_task");
    expect(rows).toEqual([{ count: waitsMs.length }]);
  }, 60_000);
});
