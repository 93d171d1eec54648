import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { binaryCollation } from "../server-version.ts";
import { ARTICLE_INSERT, ARTICLE_TABLE } from "../testing/article-table.ts";
import { insertTaskRow, readTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { AdoptionError } from "./adopt-table.ts";
import { readLiveTable } from "./live-table.ts";
import { migrate } from "./migrate.ts";
import { planMigrations } from "./plan-migrations.ts";

let test: TestDatabase;
let fresh: TestDatabase;
beforeAll(async () => {
  fresh = await createTestDatabase();
});
beforeEach(async () => {
  test = await createTestDatabase({ migrated: false });
});
afterEach(() => test.drop());
afterAll(() => fresh.drop());

const liveTable = (database: TestDatabase) =>
  database.database.use(async (session) => {
    const live = await readLiveTable(session, database.kind, "t_retry_task");
    return live ?? expect.fail("no t_retry_task");
  });

describe("adopting the pattern's own table", () => {
  beforeEach(async () => {
    await test.pool.query(ARTICLE_TABLE);
    await test.pool.query("ALTER TABLE t_retry_task AUTO_INCREMENT = 1000");
    for (const key of ["a", "b", "c"]) await test.pool.query(ARTICLE_INSERT, ["PAY", key, `{"key":"${key}"}`]);
    await test.pool.query("UPDATE t_retry_task SET status = 3, ip = '10.0.0.1', retry_count = 2 WHERE biz_key = 'b'");
  });

  it("gives it exactly the columns of a fresh installation", async () => {
    await migrate(test.connection);
    const [adopted, expected] = [await liveTable(test), await liveTable(fresh)];
    const byName = (columns: typeof adopted.columns) => new Map(columns.map((column) => [column.name, column]));
    expect(byName(adopted.columns)).toEqual(byName(expected.columns));
    expect(adopted).toMatchObject({ collation: expected.collation, engine: "InnoDB", primaryKey: ["id"] });
  });

  it("adds idx_claim and keeps the old poller's indexes, reporting them in plan and result", async () => {
    const [plan] = await planMigrations(test.connection);
    const result = await migrate(test.connection);
    const live = await liveTable(test);
    expect(live.indexes.map(({ name }) => name).sort()).toEqual([
      "idx_claim",
      "idx_next_retry",
      "idx_update_time",
      "uk_event_biz",
    ]);
    for (const notes of [plan?.notes ?? [], result.notes]) {
      const text = notes.map((note) => note.text).join("\n");
      expect(text).toContain(
        "index idx_next_retry (next_retry_time) is no longer needed: drop it when the old poller is gone",
      );
      expect(text).toContain("index idx_update_time (update_time) is no longer needed");
      expect(text).toContain("rewrites the table");
    }
  });

  it("keeps rows, ids and times as they are", async () => {
    const read = async () =>
      (
        await test.pool.query(
          "SELECT id, event_type, biz_key, biz_context, status, retry_count, ip, next_retry_time, create_time, update_time FROM t_retry_task ORDER BY id",
        )
      )[0];
    const before = await read();
    await migrate(test.connection);
    expect(await read()).toEqual(before);
    const row = await test.database.use((session) => readTaskRow(session, "1001"));
    expect(row).toMatchObject({
      bizKey: "b",
      status: "running",
      retryCount: 2,
      owner: null,
      claimNo: 0,
      recycleCount: 0,
    });
  });

  it("leaves foreign code's insert and its statements working, and goes on with the ids", async () => {
    await migrate(test.connection);
    const [result] = await test.pool.query(ARTICLE_INSERT, ["PAY", "d", "{}"]);
    const { insertId } = result as { insertId: number };
    expect(insertId).toBeGreaterThanOrEqual(1003);
    await test.pool.query(
      "UPDATE t_retry_task SET status=3, ip='10.0.0.1', update_time=NOW() WHERE id=? AND status=0",
      [insertId],
    );
    const row = await test.database.use((session) => readTaskRow(session, String(insertId)));
    expect(row).toMatchObject({ status: "running", claimNo: 0, owner: null, maxRetryCount: 5 });
  });

  it("D4: lets keys exist side by side that the old collation took for one", async () => {
    await migrate(test.connection);
    for (const key of ["A", "a ", "á"]) await test.pool.query(ARTICLE_INSERT, ["PAY", key, "{}"]);
    await expect(test.pool.query(ARTICLE_INSERT, ["PAY", "a", "{}"])).rejects.toMatchObject({ errno: 1062 });
  });

  it("is planned as one ALTER TABLE without writing anything", async () => {
    const before = await liveTable(test);
    const [plan] = await planMigrations(test.connection);
    const own = plan?.statements.filter((statement) => statement.includes("`t_retry_task`")) ?? [];
    expect(own.length).toBe(1);
    expect(own[0]).toMatch(/^ALTER TABLE `t_retry_task`/);
    expect(own[0]).not.toContain("DROP");
    expect(own[0]).toContain(binaryCollation(test.kind));
    expect(await liveTable(test)).toEqual(before);
  });

  it("finds nothing left to do when the planned ALTER was run by hand", async () => {
    const [plan] = await planMigrations(test.connection);
    for (const statement of plan?.statements ?? []) {
      if (statement.startsWith("ALTER TABLE `t_retry_task`")) await test.pool.query(statement);
    }
    const [rest] = await planMigrations(test.connection);
    expect(rest?.statements.some((statement) => statement.includes("`t_retry_task`"))).toBe(false);
    await migrate(test.connection);
    expect((await liveTable(test)).indexes.some(({ name }) => name === "idx_claim")).toBe(true);
  });
});

describe("adopting a table that a team has changed", () => {
  const create = (change: (text: string) => string) => test.pool.query(change(ARTICLE_TABLE));
  const insert = (key: string, type = "PAY") => test.pool.query(ARTICLE_INSERT, [type, key, "{}"]);
  const refusal = async () => {
    const before = await liveTable(test);
    const error = await migrate(test.connection).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AdoptionError);
    await expect(planMigrations(test.connection)).rejects.toThrow(AdoptionError);
    expect((await liveTable(test)).columns).toEqual(before.columns);
    const [rows] = await test.pool.query(
      "SHOW TABLES WHERE Tables_in_" + (test.connection.database ?? "") + " <> 't_retry_migration_lock'",
    );
    expect((rows as unknown[]).length).toBe(1);
    return String(error);
  };

  it("keeps foreign columns, their defaults and comments, and foreign indexes", async () => {
    await create((text) =>
      text
        .replace("PRIMARY KEY", "tenant varchar(20) NOT NULL DEFAULT 'x', KEY idx_tenant (tenant), PRIMARY KEY")
        .replace(
          "max_retry_count      int         NOT NULL",
          "max_retry_count int NOT NULL DEFAULT 7 COMMENT 'team''s limit'",
        ),
    );
    await insert("a");
    const result = await migrate(test.connection);
    const live = await liveTable(test);
    expect(live.columns.find(({ name }) => name === "tenant")).toMatchObject({ isNullable: false });
    expect(live.columns.find(({ name }) => name === "max_retry_count")).toMatchObject({ comment: "team's limit" });
    expect(result.notes.map(({ text }) => text).join()).toContain("index idx_tenant (tenant) is not ours and stays");
    const row = await test.database.use(async (session) => readTaskRow(session, await insertTaskRow(session)));
    expect(row).toMatchObject({ status: "pending" });
  });

  it("widens what is too narrow: int ids, whole seconds, latin1 keys", async () => {
    await create((text) =>
      text
        .replace("bigint      NOT NULL AUTO_INCREMENT", "int NOT NULL AUTO_INCREMENT")
        .replace("next_retry_time      datetime(3)", "next_retry_time datetime")
        .replace("CHARSET=utf8mb4", "CHARSET=latin1"),
    );
    await insert("straße");
    await migrate(test.connection);
    const types = new Map((await liveTable(test)).columns.map(({ name, type }) => [name, type]));
    expect(types.get("id")).toBe("bigint");
    expect(types.get("next_retry_time")).toBe("datetime(3)");
    const [rows] = await test.pool.query("SELECT biz_key FROM t_retry_task WHERE biz_key = 'straße'");
    expect(rows).toEqual([{ biz_key: "straße" }]);
  });

  it("keeps integers that are wider or unsigned", async () => {
    await create((text) =>
      text
        .replace("bigint      NOT NULL", "bigint unsigned NOT NULL")
        .replace("status               tinyint", "status int"),
    );
    await migrate(test.connection);
    const types = new Map((await liveTable(test)).columns.map(({ name, type }) => [name, type]));
    expect([types.get("id"), types.get("status")]).toEqual(["bigint unsigned", "int"]);
  });

  it("shrinks a longer key column when all rows fit, and says so", async () => {
    await create((text) => text.replace("biz_key              varchar(64)", "biz_key varchar(200)"));
    await insert("a");
    const result = await migrate(test.connection);
    expect(result.notes.map(({ text }) => text).join()).toContain("biz_key shrinks from varchar(200) to varchar(128)");
  });

  it("refuses keys that are too long, naming rows, before it alters anything", async () => {
    await create((text) => text.replace("biz_key              varchar(64)", "biz_key varchar(200)"));
    await insert("x".repeat(128));
    await insert("x".repeat(129));
    expect(await refusal()).toContain("biz_key is longer than 128 characters in rows such as id 2:");
  });

  it("refuses keys that collide, naming rows, before it alters anything", async () => {
    await create((text) => text.replace("UNIQUE KEY uk_event_biz (biz_key, event_type),", ""));
    await insert("a");
    await insert("A");
    await insert("a");
    expect(await refusal()).toContain("rows have the same (biz_key, event_type), such as ids 1 and 3");
  });

  it("adds the missing unique key when no keys collide byte by byte", async () => {
    await create((text) => text.replace("UNIQUE KEY uk_event_biz (biz_key, event_type),", ""));
    await insert("a");
    await insert("A");
    await migrate(test.connection);
    expect((await liveTable(test)).indexes.find(({ name }) => name === "uk_event_biz")).toMatchObject({
      isUnique: true,
    });
  });

  it("replaces a unique key of that name in another order, and says so", async () => {
    await create((text) => text.replace("(biz_key, event_type)", "(event_type, biz_key)"));
    const result = await migrate(test.connection);
    expect(result.notes.map(({ text }) => text).join()).toContain(
      "index uk_event_biz on (event_type, biz_key) is replaced",
    );
  });

  it("refuses NULLs where a value is needed, naming rows", async () => {
    await create((text) => text.replace("biz_context          text        NOT NULL", "biz_context text"));
    await test.pool.query(ARTICLE_INSERT, ["PAY", "a", null]);
    expect(await refusal()).toContain("biz_context is NULL in rows such as id 1");
  });

  it("refuses a foreign column that every insert would have to name", async () => {
    await create((text) => text.replace("PRIMARY KEY", "tenant varchar(20) NOT NULL, PRIMARY KEY"));
    expect(await refusal()).toContain("column tenant is not ours, NOT NULL and without a default");
  });

  it("refuses a table that only has the name, and tells every reason at once", async () => {
    await test.pool.query(
      "CREATE TABLE t_retry_task (id varchar(36) PRIMARY KEY, status varchar(20), payload blob NOT NULL)",
    );
    const text = await refusal();
    expect(text).toContain("column id has type varchar(36), which cannot become bigint");
    expect(text).toContain("column status has type varchar(20), which cannot become tinyint");
    expect(text).toContain("column biz_key is missing and has no default");
    expect(text).toContain("column payload is not ours");
  });
});

describe("D4: keys that differ only for people", () => {
  const pairs = [
    ["Order-1", "order-1"],
    ["abc", "abc "],
    ["strasse", "straße"],
    ["é", "e\u0301"],
    ["😀", "😁"],
    ["1", "１"],
  ] as const;

  it.each(pairs)("%j and %j are two tasks; an exact filter and a change by key touch only one", async (one, other) => {
    const ids = await fresh.database.use(async (session) => [
      await insertTaskRow(session, { bizKey: one }),
      await insertTaskRow(session, { bizKey: other }),
    ]);
    await fresh.database.use(async (session) => {
      const found = await session.rows<{ id: number | string }>(
        sql`SELECT id FROM t_retry_task WHERE biz_key = ${one} AND event_type = 'TEST'`,
      );
      expect(found.map(({ id }) => String(id))).toEqual([ids[0]]);
      const { affectedRows } = await session.change(
        sql`UPDATE t_retry_task SET status = 2 WHERE biz_key = ${other} AND event_type = 'TEST'`,
      );
      expect(affectedRows).toBe(1);
      expect((await readTaskRow(session, ids[0] ?? ""))?.status).toBe("pending");
      expect((await readTaskRow(session, ids[1] ?? ""))?.status).toBe("failed");
    });
  });

  it("event types that differ only in case are two types", async () => {
    const [upper, lower] = await fresh.database.use(async (session) => [
      await insertTaskRow(session, { eventType: "PAY", bizKey: "same" }),
      await insertTaskRow(session, { eventType: "pay", bizKey: "same" }),
    ]);
    expect(upper).not.toBe(lower);
  });
});
