import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { nodeScript } from "../../../db/testing/node-script.ts";
import { ScratchServer } from "../../../db/testing/scratch-server.ts";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { openArchiveDatabase } from "../archive-run.ts";
import { archiveAll, faultsOf, insertEnded, placesOf } from "../../testing/archive-scene.ts";
import { waitFor } from "../../testing/wait-for.ts";

const CHILD = nodeScript(new URL("../../testing/archive-child.ts", import.meta.url));
const TASKS = 5_000;

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});

function startArchiver(test: TestDatabase): { readonly process: ChildProcess; readonly ended: Promise<unknown> } {
  const child = spawn(process.execPath, [...CHILD, test.url, test.zone.name], { stdio: "ignore" });
  children.add(child);
  return { process: child, ended: new Promise((resolve) => child.once("close", resolve)) };
}

async function archived(test: TestDatabase): Promise<number> {
  const [rows] = await test.pool.query("SELECT COUNT(*) AS n FROM t_retry_task_archive");
  return Number((rows as { n: number }[])[0]?.n);
}

async function created(test: TestDatabase) {
  await insertEnded(test, { eventType: "PAY", count: TASKS });
  return { task: (await placesOf(test, "task", "PAY")).live, attempt: (await placesOf(test, "attempt", "PAY")).live };
}

async function faults(test: TestDatabase, before: Awaited<ReturnType<typeof created>>): Promise<string[]> {
  return [
    ...faultsOf(before.task, await placesOf(test, "task", "PAY")),
    ...faultsOf(before.attempt, await placesOf(test, "attempt", "PAY")),
  ];
}

describe("A1: interrupted between copy and delete", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  it("keeps each of 5,000 tasks in one place through kills at random moments, and goes on without help", async () => {
    const before = await created(test);
    for (let kill = 1; kill <= 5; kill++) {
      const goal = Math.min(TASKS - 1, (await archived(test)) + Math.floor(Math.random() * 900));
      const child = startArchiver(test);
      await waitFor("the archiver to have moved some", async () => (await archived(test)) > goal);
      child.process.kill("SIGKILL");
      expect(await faults(test, before)).toEqual([]);
      await child.ended;
      expect(await faults(test, before)).toEqual([]);
    }
    await waitFor("the rest to be moved", async () => {
      await archiveAll(test);
      return (await archived(test)) === TASKS;
    });
    expect(await faults(test, before)).toEqual([]);
    expect((await placesOf(test, "task", "PAY")).live.size).toBe(0);
  });

  it("moves the others while somebody holds the locks that its removal needs, and the rest afterwards", async () => {
    await test.pool.query("DELETE FROM t_retry_task_archive");
    await test.pool.query("DELETE FROM t_retry_attempt_archive");
    const before = await created(test);
    const holder = await test.pool.getConnection();
    await holder.query("START TRANSACTION");
    // History entries are read without a lock, copied, and then cannot be removed.
    const [locked] = await holder.query(
      "SELECT DISTINCT task_id FROM t_retry_attempt WHERE id IN (SELECT * FROM (SELECT id FROM t_retry_attempt ORDER BY id LIMIT 1) AS first) FOR UPDATE",
    );
    const database = openArchiveDatabase(test);
    await archiveAll(test, { database });
    await database.close();
    expect(await faults(test, before)).toEqual([]);
    expect(await archived(test)).toBe(TASKS - (locked as unknown[]).length);
    await holder.query("ROLLBACK");
    holder.release();
    await archiveAll(test);
    expect(await faults(test, before)).toEqual([]);
    expect(await archived(test)).toBe(TASKS);
  });
});

describe("A1: the server itself is killed", () => {
  let server: ScratchServer;
  let test: TestDatabase;
  beforeAll(async () => {
    server = await ScratchServer.create();
    test = await createTestDatabase({ base: server.url });
  }, 120_000);
  afterAll(async () => {
    await test.drop();
    await server.remove();
  });

  it("keeps each task in one place over a power cut in the middle of a run", { timeout: 120_000 }, async () => {
    const before = await created(test);
    let batches = 0;
    const run = archiveAll(test, {
      onStep: async (step) => {
        if (step === "tasks_removed" && ++batches === 4) await server.kill();
      },
    });
    await expect(run).rejects.toThrow();
    await server.start();
    await waitFor("the server to take connections", () => archived(test).catch(() => undefined));
    expect(await faults(test, before)).toEqual([]);
    expect(await archived(test)).toBe(600);
    await archiveAll(test);
    expect(await faults(test, before)).toEqual([]);
    expect(await archived(test)).toBe(TASKS);
  });
});
