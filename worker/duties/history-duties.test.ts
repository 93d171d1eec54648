import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { registerEventType } from "../../db/queries/event-types.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { systemClock } from "../engine/clock.ts";
import { EngineEvents } from "../engine/events.ts";
import type { Logger } from "../engine/index.ts";
import { insertArchivedTask } from "../testing/archive-rows.ts";
import { ScratchFolder, testLease } from "../testing/history-run.ts";
import { Exporter } from "./exporter.ts";
import { Purger } from "./purger.ts";

const OWNER = `host-1234-${"x".repeat(40)}`;

let test: TestDatabase;
let folder: ScratchFolder;
let lines: { level: string; fields: object }[];
beforeEach(async () => {
  test = await createTestDatabase();
  folder = new ScratchFolder();
  lines = [];
  await test.database.use(async (session) => {
    await registerEventType(session, "PAY", JSON.stringify({ archiveKeptSeconds: 0 }));
    await insertArchivedTask(session, { id: "1", eventType: "PAY", archivedAt: new Date("2026-11-01T10:00:00Z") });
  });
});
afterEach(async () => {
  folder.remove();
  await test.drop();
});

const write = (level: string) => (fields: object) => void lines.push({ level, fields });
const log = {
  debug: write("debug"),
  info: write("info"),
  warn: write("warn"),
  error: write("error"),
  fatal: write("fatal"),
} as unknown as Logger;
const shared = () => ({ owner: OWNER, clock: systemClock, events: new EngineEvents(), log });
const exporter = () =>
  new Exporter({ ...shared(), connection: test.connection, zone: test.zone, target: folder.path, s3: undefined });
const purger = () =>
  new Purger({
    ...shared(),
    database: test.database,
    target: folder.target,
    requiresExport: true,
    pace: { wait: async () => undefined, moved: () => undefined },
  });
const archived = () =>
  test.database.use((session) => session.rows(sql`SELECT id FROM t_retry_task_archive`)).then((rows) => rows.length);

it("the purger waits for the exporter, and removes what it verified", async () => {
  await purger().runOnce();
  expect(await archived()).toBe(1);
  await exporter().runOnce();
  expect(lines.map(({ fields }) => fields)).toMatchObject([
    { day: "2026-11-01", source: "tasks", what: "exported", rows: 1 },
    { day: "2026-11-01", source: "attempts", what: "exported", rows: 0 },
  ]);
  await purger().runOnce();
  expect(await archived()).toBe(0);
  expect(lines.at(-1)).toMatchObject({ level: "info", fields: { what: "deleted", rows: 1 } });
});

it("only one process exports or purges at a time; the other looks again soon", async () => {
  const lease = testLease(test);
  await lease.checkpoint();
  const [exportWaitMs, purgeWaitMs] = [await exporter().runOnce(), await purger().runOnce()];
  expect(lines).toEqual([]);
  await lease.release();
  expect(await exporter().runOnce()).toBeGreaterThan(exportWaitMs);
  expect(await purger().runOnce()).toBeGreaterThan(purgeWaitMs);
  expect(await archived()).toBe(0);
});

it("a day that cannot be exported is an error in the log and stops nothing", async () => {
  await exporter().runOnce();
  const other = await createTestDatabase();
  try {
    await other.database.use((session) =>
      insertArchivedTask(session, { id: "9", archivedAt: new Date("2026-11-01T10:00:00Z") }),
    );
    lines = [];
    await new Exporter({
      ...shared(),
      connection: other.connection,
      zone: other.zone,
      target: folder.path,
      s3: undefined,
    }).runOnce();
    expect(lines[0]).toMatchObject({
      level: "error",
      fields: { what: "failed", problem: expect.stringContaining("another 2026-11-01") },
    });
  } finally {
    await other.drop();
  }
});
