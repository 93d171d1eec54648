import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { insertArchivedAttempt, insertArchivedTask } from "../testing/archive-rows.ts";
import { duckAttempts, duckTasks, queryDuck } from "../testing/duckdb.ts";
import { exportAll, ScratchFolder, testLease } from "../testing/history-run.ts";
import { runExport } from "./export-run.ts";

/** Three neighbours that are one and the same JavaScript number. */
const [BELOW, BIG, ABOVE] = ["9007199254740992", "9007199254740993", "9223372036854775807"] as const;

let test: TestDatabase;
let folder: ScratchFolder;
beforeEach(async () => {
  test = await createTestDatabase();
  folder = new ScratchFolder();
});
afterEach(async () => {
  folder.remove();
  await test.drop();
});

const archiveTask = (task: Parameters<typeof insertArchivedTask>[1]) =>
  test.database.use((session) => insertArchivedTask(session, task));
const archiveMany = async (count: number, eventType = "PAY", day = "2026-11-01") => {
  for (let n = 1; n <= count; n++) {
    await archiveTask({
      id: String(n),
      eventType,
      archivedAt: new Date(Date.parse(`${day}T08:00:00Z`) + Math.floor(n / 3)),
    });
  }
};
const filesBelow = (path = folder.path): string[] =>
  readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)]))
    .sort();
const whats = (report: Awaited<ReturnType<typeof exportAll>>) =>
  report.outcomes.map(({ day, source, what }) => `${day} ${source} ${what}`);

describe("export", () => {
  it("gives an independent engine every row and every value as the archive holds it", async () => {
    const at = new Date("2026-11-01T23:59:59.999Z");
    const types = ["PAY", "pay", "a/b=c %41 d+e", 'it\'s "quoted"', "订单😀", "..", "x:y?*", "[a]{b}^#\\"];
    for (const [index, eventType] of types.entries()) {
      await archiveTask({ id: String(100 + index), archivedAt: at, eventType, bizKey: `k-${eventType}` });
    }
    await archiveTask({
      id: BELOW,
      archivedAt: new Date("2026-11-01T00:00:00.000Z"),
      bizContext: '{"n":1970670598291982290}',
    });
    await archiveTask({ id: BIG, archivedAt: at, bizContext: "é😀\u0000\n\"'\\", lastError: "", parentId: ABOVE });
    await archiveTask({
      id: ABOVE,
      archivedAt: at,
      bizContext: "x".repeat(300_000),
      status: "failed",
      lastError: "boom",
    });
    await archiveTask({ id: BIG, archivedAt: new Date("2026-11-01T05:00:00.001Z") });
    await archiveTask({ id: "7", archivedAt: new Date("2026-11-02T00:00:00.000Z") });
    expect(whats(await exportAll(test, folder.target))).toEqual(
      ["01", "02"].flatMap((day) => [`2026-11-${day} tasks exported`, `2026-11-${day} attempts exported`]),
    );

    const instants = [
      "archived_time",
      "next_retry_time",
      "create_time",
      "update_time",
      "started_time",
      "finished_time",
    ];
    const plain = [
      "biz_key",
      "biz_context",
      "status",
      "retry_count",
      "max_retry_count",
      "retry_strategy",
      "first_retry_interval",
      "ip",
      "owner",
      "claim_no",
      "recycle_count",
      "last_error",
      "error_fingerprint",
      "finish_reason",
      "trace_parent",
      "origin",
    ];
    const read = await queryDuck(
      `SELECT dt, event_type, id::VARCHAR AS id, parent_id::VARCHAR AS parent_id, ${instants.map((name) => `epoch_ms(${name})::VARCHAR AS ${name}`).join(", ")}, ${plain.join(", ")}
        FROM ${duckTasks(folder.path)} ORDER BY tasks.id, tasks.archived_time`.replaceAll("tasks.", ""),
    );
    const stored = await test.database.use((session) =>
      session.rows<Record<string, string | number | null>>(
        sql`SELECT CAST(id AS CHAR) AS id, event_type, CAST(parent_id AS CHAR) AS parent_id, ${sql.raw([...instants, ...plain].join(", "))}
          FROM t_retry_task_archive ORDER BY t_retry_task_archive.id, t_retry_task_archive.archived_time`,
      ),
    );
    const ms = (value: string | number | null | undefined) =>
      value === null || value === undefined ? null : String(test.zone.parseInstant(String(value)).getTime());
    const expected = stored.map((row) => ({
      ...row,
      ...Object.fromEntries(instants.map((name) => [name, ms(row[name])])),
      dt: new Date(Number(ms(row["archived_time"]))).toISOString().slice(0, 10),
    }));
    const key = (row: Readonly<Record<string, unknown>>) =>
      `${String(row["id"]).padStart(20)} ${String(row["archived_time"])}`;
    const sorted = <Row extends Readonly<Record<string, unknown>>>(rows: readonly Row[]) =>
      [...rows].sort((one, other) => (key(one) < key(other) ? -1 : 1));
    expect(read).toHaveLength(types.length + 5);
    expect(sorted(read)).toEqual(sorted(expected));
  });

  it("writes 64-bit integers, UTC instants and text, and no double", async () => {
    await archiveMany(1);
    await test.database.use((session) =>
      insertArchivedAttempt(session, {
        id: BIG,
        taskId: "1",
        archivedAt: new Date("2026-11-01T08:00:00.007Z"),
        eventType: "PAY",
        error: "e",
      }),
    );
    await exportAll(test, folder.target);
    const types = await queryDuck(`DESCRIBE SELECT * FROM ${duckTasks(folder.path)}`);
    const namesOf = (type: string) =>
      types.filter((row) => row["column_type"] === type).map((row) => row["column_name"]);
    expect([...new Set(types.map((row) => row["column_type"]))].sort()).toEqual([
      "BIGINT",
      "INTEGER",
      "TIMESTAMP WITH TIME ZONE",
      "VARCHAR",
    ]);
    expect(namesOf("BIGINT")).toEqual(["id", "parent_id"]);
    expect(namesOf("TIMESTAMP WITH TIME ZONE")).toHaveLength(6);
    const attempts = await queryDuck(
      `SELECT id::VARCHAR AS id, task_id::VARCHAR AS task_id, epoch_ms(archived_time)::VARCHAR AS at, event_type, kind, error, duration_ms::VARCHAR AS ms, dt FROM ${duckAttempts(folder.path)}`,
    );
    expect(attempts).toEqual([
      {
        id: BIG,
        task_id: "1",
        at: String(Date.parse("2026-11-01T08:00:00.007Z")),
        event_type: "PAY",
        kind: "failure",
        error: "e",
        ms: "12",
        dt: "2026-11-01",
      },
    ]);
  });

  it("cuts a day into files, says of each what it holds, and does nothing the second time", async () => {
    await archiveMany(12);
    await exportAll(test, folder.target);
    const manifest = JSON.parse(
      readFileSync(join(folder.path, "tasks/dt=2026-11-01/_manifest-2026-11-01.json"), "utf8"),
    ) as {
      rows: number;
      idMin: string;
      idMax: string;
      files: { path: string; rows: number; bytes: number }[];
    };
    expect(manifest).toMatchObject({ rows: 12, idMin: "1", idMax: "12" });
    expect(manifest.files.map(({ rows }) => rows)).toEqual([5, 5, 2]);
    for (const { path, rows, bytes } of manifest.files) {
      expect(statSync(join(folder.path, path)).size).toBe(bytes);
      expect(await queryDuck(`SELECT COUNT(*)::INTEGER AS n FROM '${join(folder.path, path)}'`)).toEqual([{ n: rows }]);
    }
    const before = filesBelow().map((path) => [path, statSync(path).mtimeMs]);
    expect(whats(await exportAll(test, folder.target))).toEqual([
      "2026-11-01 tasks skipped",
      "2026-11-01 attempts skipped",
    ]);
    expect(filesBelow().map((path) => [path, statSync(path).mtimeMs])).toEqual(before);
    expect(filesBelow().filter((path) => /_progress|\.tmp$/.test(path))).toEqual([]);
  });

  it("writes the same bytes again for the same rows", async () => {
    await archiveMany(12);
    await exportAll(test, folder.target);
    const before = filesBelow().map((path) => [path, readFileSync(path)]);
    expect(whats(await exportAll(test, folder.target, { again: true }))).toContain("2026-11-01 tasks exported");
    expect(filesBelow().map((path) => [path, readFileSync(path)])).toEqual(before);
  });

  it("leaves today and a day that has just ended alone", async () => {
    const { now } = await test.database.use(async (session) => {
      const [row] = await session.rows<{ now: string }>(sql`SELECT ${session.now} AS now`);
      return { now: session.zone.parseInstant(row?.now ?? "") };
    });
    await archiveTask({ id: "1", archivedAt: now });
    expect(await exportAll(test, folder.target)).toMatchObject({ outcomes: [] });
    const startOfDay = new Date(`${now.toISOString().slice(0, 10)}T00:00:00Z`);
    await archiveTask({ id: "2", archivedAt: new Date(startOfDay.getTime() - 1) });
    const sinceMidnight = now.getTime() - startOfDay.getTime();
    expect(await exportAll(test, folder.target, { settleMs: sinceMidnight + 600_000 })).toMatchObject({ outcomes: [] });
    expect((await exportAll(test, folder.target, { settleMs: 0 })).outcomes).toHaveLength(2);
  });

  it("stops between two pages and goes on with the file it stopped in", async () => {
    await archiveMany(12);
    const stopping = new AbortController();
    let finished = 0;
    const first = await exportAll(test, folder.target, {
      lease: testLease(test, stopping.signal),
      onStep: (step) => {
        if (step === "file_finished") finished++;
        if (step === "group_written" && finished === 1) stopping.abort();
      },
    });
    expect(first).toMatchObject({ outcomes: [], stopped: { code: "RUN_INTERRUPTED" } });
    expect(filesBelow().filter((path) => path.endsWith(".parquet"))).toHaveLength(1);
    const created: string[] = [];
    await exportAll(test, folder.target, { onStep: (step) => void (step === "file_created" && created.push(step)) });
    expect(created).toHaveLength(2);
    expect(await queryDuck(`SELECT id::INTEGER AS id FROM ${duckTasks(folder.path)} ORDER BY 1`)).toEqual(
      Array.from({ length: 12 }, (_, index) => ({ id: index + 1 })),
    );
  });

  it("lets one process export at a time", async () => {
    await archiveMany(1);
    const other = new (await import("./run-lease.ts")).RunLease({
      database: test.database,
      owner: "other",
      clock: { monotonicMs: () => 0 },
      signal: new AbortController().signal,
    });
    await other.checkpoint();
    expect(await exportAll(test, folder.target)).toMatchObject({ outcomes: [], stopped: { code: "RUN_ELSEWHERE" } });
    await other.release();
    expect((await exportAll(test, folder.target)).outcomes).toHaveLength(2);
  });

  it("writes a day anew whose files were damaged, and one that got rows after its export", async () => {
    await archiveMany(7);
    await exportAll(test, folder.target);
    const [file = ""] = filesBelow().filter((path) => path.endsWith(".parquet"));
    appendFileSync(file, "x");
    expect(whats(await exportAll(test, folder.target, { verifyAll: true }))).toContain("2026-11-01 tasks exported");
    await archiveTask({ id: "99", eventType: "PAY", archivedAt: new Date("2026-11-01T09:00:00Z") });
    expect(whats(await exportAll(test, folder.target, { verifyAll: true }))).toContain("2026-11-01 tasks exported");
    expect(
      await queryDuck(
        `SELECT COUNT(DISTINCT id)::INTEGER AS ids, COUNT(*)::INTEGER AS n FROM ${duckTasks(folder.path)}`,
      ),
    ).toEqual([{ ids: 8, n: 8 }]);
    writeFileSync(file, readFileSync(file).fill(0, 100, 120));
    rmSync(join(folder.path, "attempts"), { recursive: true });
    const outcomes = await exportAll(test, folder.target, { verifyAll: true });
    expect(whats(outcomes)).toEqual(["2026-11-01 tasks exported", "2026-11-01 attempts exported"]);
  });

  it("never overwrites a day of another database", async () => {
    await archiveMany(3);
    await exportAll(test, folder.target);
    const other = await createTestDatabase();
    try {
      await other.database.use((session) =>
        insertArchivedTask(session, { id: "55", archivedAt: new Date("2026-11-01T08:00:00Z") }),
      );
      const before = filesBelow().map((path) => readFileSync(path));
      const { outcomes } = await exportAll(other, folder.target);
      expect(outcomes[0]).toMatchObject({ what: "failed", problem: expect.stringContaining("another 2026-11-01") });
      expect(filesBelow().map((path) => readFileSync(path))).toEqual(before);
    } finally {
      await other.drop();
    }
  });

  it("keeps the columns that an installation added", async () => {
    await test.database.use((session) =>
      session.run(
        "ALTER TABLE t_retry_task_archive ADD COLUMN tenant VARCHAR(20) NULL, ADD COLUMN raw VARBINARY(4) NULL",
      ),
    );
    await archiveMany(1);
    await test.database.use((session) => session.run("UPDATE t_retry_task_archive SET tenant = 'acme', raw = x'00FF'"));
    await exportAll(test, folder.target);
    expect(await queryDuck(`SELECT extra FROM ${duckTasks(folder.path)}`)).toEqual([
      { extra: '{"tenant":"acme","raw":"00FF"}' },
    ]);
  });

  it("bounds a page by its bytes, whatever its rows hold", async () => {
    for (let n = 1; n <= 6; n++)
      await archiveTask({
        id: String(n),
        archivedAt: new Date("2026-11-01T08:00:00Z"),
        bizContext: "x".repeat(400_000),
      });
    const groups: string[] = [];
    await runExport({
      database: test.database,
      target: folder.target,
      lease: testLease(test),
      limits: {
        pageRows: 1_000,
        pageBytes: 900_000,
        groupRows: 1_000,
        groupBytes: 700_000,
        fileRows: 1_000,
        fileBytes: 1 << 30,
      },
      onStep: (step) => void (step === "group_written" && groups.push(step)),
    });
    expect(groups).toHaveLength(3);
    expect(await queryDuck(`SELECT COUNT(*)::INTEGER AS n FROM ${duckTasks(folder.path)}`)).toEqual([{ n: 6 }]);
  });
});
