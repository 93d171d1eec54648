import { type SQL, is } from "drizzle-orm";
import { type MySqlColumn, MySqlDialect, MySqlTable, getTableConfig } from "drizzle-orm/mysql-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "drizzle-orm";
import { sameSql } from "../migrate/column-changes.ts";
import { type LiveTable, readLiveTable } from "../migrate/live-table.ts";
import { binaryCollation } from "../server-version.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import * as schema from "./index.ts";

const tables = Object.values(schema).flatMap((value) => (is(value, MySqlTable) ? [getTableConfig(value)] : []));
type TableConfig = (typeof tables)[number];

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const live = (table: string) => test.database.use((session) => readLiveTable(session, test.kind, table));

describe("the migrated schema", () => {
  it("holds exactly the tables of the code, beside those of the migrations themselves", async () => {
    const rows = await test.database.use((session) =>
      session.rows<{ name: string }>(
        sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()`,
      ),
    );
    const own = rows.map(({ name }) => name).filter((name) => !name.startsWith("t_retry_migration"));
    expect(own.sort()).toEqual(tables.map(({ name }) => name).sort());
  });

  it.each(tables.map((table) => [table.name, table] as const))(
    "%s has the columns of the code",
    async (name, table) => {
      const actual = await live(name);
      expect(actual?.columns.map(({ name: column }) => column)).toEqual(table.columns.map((column) => column.name));
      expect(describeLiveColumns(actual)).toEqual(table.columns.map((column) => describeColumn(column)));
    },
  );

  it.each(tables.map((table) => [table.name, table] as const))("%s has the keys of the code", async (name, table) => {
    const actual = await live(name);
    expect([...(actual?.primaryKey ?? [])]).toEqual(primaryKeyOf(table));
    expect(byName(actual?.indexes ?? [])).toEqual(byName(indexesOf(table)));
  });

  it.each(tables.map(({ name }) => name))(
    "%s is InnoDB with binary NO PAD text, whatever the server's default",
    async (name) => {
      const actual = await live(name);
      const collation = binaryCollation(test.kind);
      expect(actual).toMatchObject({ engine: "InnoDB", collation });
      for (const column of actual?.columns ?? []) {
        if (column.collation !== undefined) expect([column.name, column.collation]).toEqual([column.name, collation]);
      }
    },
  );

  it("keeps the task table within two secondary indexes", async () => {
    expect((await live("t_retry_task"))?.indexes.length).toBeLessThanOrEqual(2);
  });
});

function describeLiveColumns(table: LiveTable | undefined): string[] {
  return (table?.columns ?? []).map((column) =>
    [
      column.name,
      column.type,
      column.isNullable ? "null" : "not null",
      column.isAutoIncrement ? "auto increment" : "",
      `default ${plain(column.defaultSql)}`,
      `on update ${plain(column.onUpdateSql)}`,
    ].join(" | "),
  );
}

function describeColumn(column: MySqlColumn): string {
  const [defaultSql, onUpdateSql] = defaultOf(column).split(/ ON UPDATE /i);
  return [
    column.name,
    column.getSQLType(),
    column.notNull ? "not null" : "null",
    "autoIncrement" in column && column.autoIncrement === true ? "auto increment" : "",
    `default ${plain(defaultSql === "" ? undefined : defaultSql)}`,
    `on update ${plain(onUpdateSql)}`,
  ].join(" | ");
}

function defaultOf(column: MySqlColumn): string {
  if (column.default === undefined || column.default === null) return "";
  if (typeof column.default === "object") return new MySqlDialect().sqlToQuery(column.default as SQL).sql;
  return typeof column.default === "string" ? `'${column.default}'` : String(column.default);
}

function plain(text: string | undefined): string {
  return text === undefined ? "none" : text.replace(/^'(-?\d+)'$/, "$1").toLowerCase();
}

function primaryKeyOf(table: TableConfig): string[] {
  const [composite] = table.primaryKeys;
  if (composite) return composite.columns.map((column) => column.name);
  return table.columns.filter((column) => column.primary).map((column) => column.name);
}

function indexesOf(table: TableConfig): { name: string; isUnique: boolean; columns: string[] }[] {
  return table.indexes.map(({ config }) => ({
    name: config.name ?? "",
    isUnique: config.unique ?? false,
    columns: config.columns.map((column) => ("name" in column ? String(column.name) : "(expression)")),
  }));
}

function byName<Item extends { name: string }>(items: readonly Item[]): Item[] {
  return [...items].sort((one, other) => one.name.localeCompare(other.name));
}

describe("sameSql", () => {
  it("sees the same default behind the words of either server", () => {
    expect(sameSql("CURRENT_TIMESTAMP(3)", "current_timestamp(3)")).toBe(true);
    expect(sameSql("0", "'0'")).toBe(true);
    expect(sameSql("0", "'1'")).toBe(false);
    expect(sameSql(undefined, "0")).toBe(false);
  });
});
