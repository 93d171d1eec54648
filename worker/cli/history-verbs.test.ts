import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureArchivePartitions } from "../../db/archive-partitions.ts";
import { registerEventType } from "../../db/queries/event-types.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { insertArchivedAttempt, insertArchivedTask } from "../testing/archive-rows.ts";
import { ScratchFolder } from "../testing/history-run.ts";
import { S3Server } from "../testing/s3-server.ts";
import { progressBar } from "./progress.ts";
import { runCli } from "./run-cli.ts";

const BIG = "9007199254740993";
const DAY = "2026-11-01";
const AT = new Date(`${DAY}T10:00:00.123Z`);

let test: TestDatabase;
let folder: ScratchFolder;
beforeEach(async () => {
  test = await createTestDatabase();
  folder = new ScratchFolder();
  await test.database.use(async (session) => {
    await ensureArchivePartitions(session, new Date(`${DAY}T00:00:00Z`), 40);
    await registerEventType(session, "PAY", JSON.stringify({ archiveKeptSeconds: 0 }));
    for (const [id, eventType] of [
      ["1", "PAY"],
      [BIG, "PAY"],
      ["3", "a/b"],
    ] as const) {
      await insertArchivedTask(session, {
        id,
        eventType,
        archivedAt: AT,
        bizContext: '{"n":1970670598291982290,"s":"é😀"}',
        parentId: "9007199254740995",
      });
    }
    await insertArchivedAttempt(session, { id: "77", taskId: BIG, eventType: "PAY", archivedAt: AT, error: "boom" });
  });
});
afterEach(async () => {
  folder.remove();
  await test.drop();
});

async function redrive(
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
  interrupted?: () => AbortSignal,
) {
  const written = { out: "", err: "" };
  const code = await runCli(words, {
    env: { DATABASE_URL: test.url, REDRIVE_ZONE: test.zone.name, REDRIVE_EXPORT_TARGET: folder.path, ...more },
    stdout: (text) => void (written.out += text),
    stderr: (text) => void (written.err += text),
    ...(interrupted ? { interrupted } : {}),
  });
  return { code, ...written };
}
/** The last line of `--json`, which is the result; every line before it must be a document, too. */
async function json(words: readonly string[], more?: Readonly<Record<string, string>>) {
  const { code, out, err } = await redrive([...words, "--json"], more);
  expect(err).toBe("");
  const documents = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, document: documents.at(-1) };
}
const rowsOf = (table: string) =>
  test.database.use((session) =>
    session.rows<Record<string, string | number | null>>(sql`SELECT * FROM ${sql.raw(table)} ORDER BY id`),
  );

describe("export", () => {
  it("says what it would do, does it in a thread, and has nothing left to do", async () => {
    const dry = await redrive(["export", "--dry-run"]);
    expect(dry).toMatchObject({
      code: 0,
      out: expect.stringMatching(/2026-11-01 +tasks +3 +export\n2026-11-01 +attempts +1 +export\nnothing was written/),
    });
    expect(readdirSync(folder.path)).toEqual([]);
    expect(await json(["export"])).toMatchObject({
      code: 0,
      document: {
        isComplete: true,
        outcomes: [
          { what: "exported", rows: 3, files: 2 },
          { what: "exported", rows: 1, files: 1 },
        ],
      },
    });
    expect((await redrive(["export"])).out).toMatch(
      /1 days: 0 parts exported \(0 rows\), 0 verified, 2 done before, 0 failed/,
    );
    expect((await redrive(["export", "--verify"])).out).toMatch(/2 verified/);
  });

  it("exits with 1 and says why when a purged day is damaged in the target", async () => {
    await redrive(["export"]);
    await redrive(["purge"]);
    const path = join(folder.path, `tasks/dt=${DAY}/event_type=PAY`);
    const file = join(path, readdirSync(path)[0] ?? "");
    writeFileSync(file, readFileSync(file).fill(0, 100, 110));
    const { code, out } = await redrive(["export", "--verify"]);
    expect(code).toBe(1);
    expect(out).toMatch(
      /2026-11-01 tasks: files of a purged day are not what they were: .*its checksum is another one/,
    );
  });

  it("stops at Ctrl-C before it writes, and says so", async () => {
    const { code, out } = await redrive(["export"], {}, () => AbortSignal.abort());
    expect(code).toBe(1);
    expect(out).toMatch(/run it again to go on/);
    expect(await json(["export"])).toMatchObject({ code: 0 });
  });

  it.each(["hive", "trino", "spark"])("prints the tables for %s over the target", async (dialect) => {
    const { code, out } = await redrive(["export", "--ddl", dialect, "--target", "s3://lake/redrive"], {
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
    });
    expect(code).toBe(0);
    expect(out).toMatch(/CREATE (EXTERNAL )?TABLE redrive_tasks/);
    expect(out).toContain(dialect === "trino" ? "'s3://lake/redrive/tasks'" : "'s3a://lake/redrive/tasks'");
    expect(out).toMatch(/event_type/);
    expect(out).not.toMatch(/double|decimal/i);
  });

  it.each([
    [["export", "--ddl", "hvie"], /did you mean hive\?/],
    [["export", "--day", "2026-02-30"], /--day is "2026-02-30"; write a day/],
    [["export", "--target", "gs://x"], /not a place to export to/],
    [["export", "--target", "s3://lake"], /AWS_ACCESS_KEY_ID/],
    [["purge", "--rows-per-second", "-1"], /rows-per-second/],
    [["restore"], /needs either ID or --day/],
    [["restore", "1", "--day", DAY], /needs either ID or --day/],
    [["restore", "1", "--into", "t_retry_task"], /--into "t_retry_task" is not possible/],
    [["restore", "1", "--into", "t_retry_task_archive"], /not possible/],
    [["restore", "1", "--into", "x`; DROP TABLE y"], /not possible/],
  ])("refuses %j with exit code 2", async (words, message) => {
    expect(await redrive(words)).toMatchObject({ code: 2, out: "", err: expect.stringMatching(message) });
  });
});

describe("purge", () => {
  it("says what would go and why the rest stays, then removes just that", async () => {
    expect((await redrive(["purge", "--dry-run"])).out).toMatch(/2026-11-01 +kept +0 +tasks: not exported to file:/);
    await redrive(["export"]);
    const dry = await redrive(["purge", "--dry-run"]);
    expect(dry.out).toMatch(
      /2026-11-01 +deleted +2 +2 of PAY; kept by a\/b \(forever\)\n2 rows would go; nothing was removed/,
    );
    expect(await rowsOf("t_retry_task_archive")).toHaveLength(3);
    expect(await json(["purge"])).toMatchObject({
      code: 0,
      document: { rows: 3, isComplete: true, outcomes: [{ what: "deleted" }] },
    });
    expect((await rowsOf("t_retry_task_archive")).map((row) => row["event_type"])).toEqual(["a/b"]);
  });

  it("needs no export when the environment says so", async () => {
    const { document } = await json(["purge"], { REDRIVE_PURGE_REQUIRES_EXPORT: "false", REDRIVE_EXPORT_TARGET: "" });
    expect(document).toMatchObject({ rows: 3 });
  });
});

describe("restore", () => {
  it("brings a purged day back as it was, into a table of its own, once however often", async () => {
    const [tasks, attempts] = [await rowsOf("t_retry_task_archive"), await rowsOf("t_retry_attempt_archive")];
    await redrive(["export"]);
    await redrive(["purge"]);
    const result = { found: { tasks: 3, attempts: 1 }, inserted: { tasks: 3, attempts: 1 } };
    expect(await json(["restore", "--day", DAY, "--dry-run"])).toMatchObject({
      document: { inserted: { tasks: 0 }, found: { tasks: 3 } },
    });
    expect(await rowsOf("t_retry_task_restored")).toEqual([]);
    expect(await json(["restore", "--day", DAY])).toMatchObject({ code: 0, document: result });
    expect(await rowsOf("t_retry_task_restored")).toEqual(tasks);
    expect(await rowsOf("t_retry_attempt_restored")).toEqual(attempts);
    expect(await json(["restore", "--day", DAY])).toMatchObject({
      document: { ...result, inserted: { tasks: 0, attempts: 0 } },
    });
    expect(await rowsOf("t_retry_task_restored")).toEqual(tasks);
    expect(await rowsOf("t_retry_task_archive")).toHaveLength(1);
    expect(await rowsOf("t_retry_task")).toEqual([]);
  });

  it("brings one task back with its history, every digit of its id, into a table that it makes", async () => {
    const tasks = await rowsOf("t_retry_task_archive");
    await redrive(["export"]);
    expect(await json(["restore", BIG, "--into", "audit_7"])).toMatchObject({
      document: { found: { tasks: 1, attempts: 1 } },
    });
    expect(await rowsOf("audit_7")).toEqual(tasks.filter((row) => String(row["id"]) === BIG));
    expect(await rowsOf("audit_7_attempt")).toMatchObject([{ error: "boom" }]);
    expect(await json(["restore", "9007199254740992"])).toMatchObject({
      code: 1,
      document: { error: { code: "TASK_NOT_FOUND" } },
    });
  });

  it("says that a day was not exported", async () => {
    expect(await json(["restore", "--day", DAY])).toMatchObject({
      code: 1,
      document: { error: { code: "EXPORT_FILE_MISSING" } },
    });
  });

  it("exports to, purges by and restores from a bucket", async () => {
    const server = await S3Server.start();
    try {
      const env = {
        REDRIVE_EXPORT_TARGET: "s3://lake/redrive",
        AWS_ACCESS_KEY_ID: server.accessKeyId,
        AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
        AWS_ENDPOINT_URL: server.endpoint,
      };
      expect(await json(["export"], env)).toMatchObject({ code: 0, document: { target: "s3://lake/redrive" } });
      expect(await json(["purge"], env)).toMatchObject({ document: { rows: 3 } });
      expect(await json(["restore", BIG], env)).toMatchObject({ document: { inserted: { tasks: 1, attempts: 1 } } });
      expect(await json(["export", "--verify"], env)).toMatchObject({ code: 0, document: { isComplete: true } });
    } finally {
      await server.stop();
    }
  });
});

it("draws a bar that is full when there is nothing to do", () => {
  expect(progressBar(0, 0, 0)).toBe(`[${"#".repeat(30)}] 0 of 0 (0/s)`);
  expect(progressBar(1_000, 4_000, 2_000)).toBe(`[${"#".repeat(8)}${".".repeat(22)}] 1000 of 4000 (500/s, 6 s left)`);
});
