import { spawn } from "node:child_process";
import { once } from "node:events";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeScript } from "../../db/testing/node-script.ts";
import { ensureArchivePartitions } from "../../db/archive-partitions.ts";
import { registerEventType } from "../../db/queries/event-types.ts";
import { listExports } from "../../db/queries/exports.ts";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { insertArchivedAttempt, insertArchivedTask } from "../testing/archive-rows.ts";
import { duckAttempts, duckTasks, queryDuck } from "../testing/duckdb.ts";
import { exportAll, purgeAll, ScratchFolder } from "../testing/history-run.ts";
import { EXPORT_STEPS, PURGE_STEPS } from "./steps.ts";

const SCRIPT = nodeScript(new URL("../testing/history-process.ts", import.meta.url));
const FIRST_DAY = "2026-11-02";
const SECOND_DAY = "2026-11-03";

let test: TestDatabase;
let folder: ScratchFolder;
let created: { tasks: string[]; attempts: string[] };

beforeEach(async () => {
  test = await createTestDatabase();
  folder = new ScratchFolder();
  created = { tasks: [], attempts: [] };
  const { database } = test;
  await database.use(async (session) => {
    await ensureArchivePartitions(session, new Date("2026-11-01T12:00:00Z"), 40);
    await registerEventType(session, "GOES", JSON.stringify({ archiveKeptSeconds: 0 }));
    for (let n = 1; n <= 16; n++) {
      // The first day goes as a whole; of the second one type stays.
      const [day, eventType] = n <= 7 ? [FIRST_DAY, "GOES"] : [SECOND_DAY, n <= 14 ? "GOES" : "STAYS"];
      const archivedAt = new Date(Date.parse(`${day}T10:00:00Z`) + Math.floor(n / 2));
      await insertArchivedTask(session, { id: String(1_000 + n), eventType, archivedAt });
      await insertArchivedAttempt(session, { id: String(2_000 + n), taskId: String(1_000 + n), eventType, archivedAt });
      created.tasks.push(String(1_000 + n));
      created.attempts.push(String(2_000 + n));
    }
    created.tasks.push(await insertTaskRow(session, { id: "5000", eventType: "GOES", status: "succeeded" }));
  });
});
afterEach(async () => {
  folder.remove();
  await test.drop();
});

/** Runs until it dies at the step; answers the signal that ended it. */
async function runUntil(verb: "export" | "purge", step: string, passes: number): Promise<string | number> {
  const words = [...SCRIPT, verb, test.url, test.zone.name, folder.path, step, String(passes)];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "inherit", "inherit"] });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return signal ?? code ?? -1;
}

const idsIn = async (...tables: string[]) => {
  const ids: string[] = [];
  for (const table of tables) {
    const rows = await test.database.use((session) =>
      session.rows<{ id: string }>(sql`SELECT CAST(id AS CHAR) AS id FROM ${sql.raw(table)}`),
    );
    ids.push(...rows.map(({ id }) => id));
  }
  return ids.sort();
};

/** The rows of the days whose export was verified, as another engine reads them. */
async function exportedIds(source: "tasks" | "attempts"): Promise<string[]> {
  const records = await test.database.use((session) => listExports(session, folder.target.name));
  const days = records
    .filter((one) => one.source === source && one.isVerified && one.rowCount > 0)
    .map(({ day }) => `'${day}'`);
  if (days.length === 0) return [];
  const table = source === "tasks" ? duckTasks(folder.path) : duckAttempts(folder.path);
  const rows = await queryDuck(`SELECT id::VARCHAR AS id FROM ${table} WHERE dt IN (${days.join(", ")}) ORDER BY 1`);
  return rows.map((row) => String(row["id"]));
}

async function expectNothingLost(): Promise<void> {
  for (const [source, tables] of [
    ["tasks", ["t_retry_task", "t_retry_task_archive"]],
    ["attempts", ["t_retry_attempt", "t_retry_attempt_archive"]],
  ] as const) {
    const [stored, exported] = [await idsIn(...tables), await exportedIds(source)];
    expect(stored).toEqual([...new Set(stored)]);
    expect(exported).toEqual([...new Set(exported)]);
    expect([...new Set([...stored, ...exported])].sort()).toEqual(created[source]);
  }
}

const all = (from: "tasks" | "attempts") => created[from].filter((id) => id !== "5000");

describe("a process that is killed while it exports", () => {
  const again = ["group_written", "file_finished", "progress_saved"] as const;
  it.each([...EXPORT_STEPS.map((step) => [step, 0] as const), ...again.map((step) => [step, 2] as const)])(
    "at %s, after %i passes, loses and doubles nothing, and the next run ends its work",
    async (step, passes) => {
      expect(await runUntil("export", step, passes)).toBe("SIGKILL");
      await expectNothingLost();
      const { outcomes, stopped } = await exportAll(test, folder.target);
      expect(stopped).toBeUndefined();
      expect(outcomes.map(({ what }) => what)).not.toContain("failed");
      await expectNothingLost();
      for (const source of ["tasks", "attempts"] as const) expect(await exportedIds(source)).toEqual(all(source));
      expect((await folder.target.listFiles("tasks")).filter((path) => /\.tmp$|_progress/.test(path))).toEqual([]);
    },
    60_000,
  );
});

describe("a process that is killed while it purges", () => {
  it.each(PURGE_STEPS.map((step) => [step] as const))(
    "at %s loses and doubles nothing, and the next run ends its work",
    async (step) => {
      await exportAll(test, folder.target);
      expect(await runUntil("purge", step, 0)).toBe("SIGKILL");
      await expectNothingLost();
      const { outcomes, stopped } = await purgeAll(test, folder.target);
      expect(stopped).toBeUndefined();
      expect(outcomes.map(({ what }) => what)).not.toContain("failed");
      await expectNothingLost();
      expect(await idsIn("t_retry_task_archive")).toEqual(["1015", "1016"]);
      expect(await idsIn("t_retry_attempt_archive")).toEqual(["2015", "2016"]);
      for (const source of ["tasks", "attempts"] as const) expect(await exportedIds(source)).toEqual(all(source));
    },
    60_000,
  );
});
