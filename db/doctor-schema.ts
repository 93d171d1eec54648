import { is } from "drizzle-orm";
import { MySqlTable, getTableConfig } from "drizzle-orm/mysql-core";
import type { DoctorCheck } from "./doctor.ts";
import { type LiveTable, readLiveTable } from "./migrate/live-table.ts";
import * as schema from "./schema/index.ts";
import { type ServerKind, binaryCollation } from "./server-version.ts";
import type { Session } from "./session.ts";

const tables = Object.values(schema).flatMap((value) => (is(value, MySqlTable) ? [getTableConfig(value)] : []));

/** Every text column of ours compares byte by byte, so that keys which differ only for people are two keys. */
export async function checkCollations(session: Session, kind: ServerKind): Promise<DoctorCheck> {
  const wanted = binaryCollation(kind);
  const wrong: string[] = [];
  for (const { name, columns } of tables) {
    const own = new Set(columns.map((column) => column.name));
    const live = await readLiveTable(session, kind, name);
    for (const column of live?.columns ?? []) {
      if (own.has(column.name) && column.collation !== undefined && column.collation !== wanted) {
        wrong.push(`${name}.${column.name} is ${column.collation}`);
      }
    }
  }
  if (wrong.length === 0) return { id: "key_collations", level: "ok", finding: `all text is ${wanted}`, advice: "" };
  return {
    id: "key_collations",
    level: "fail",
    finding: wrong.join(", "),
    advice: `ALTER each of them to CHARACTER SET utf8mb4 COLLATE ${wanted}: otherwise 'a1' equals 'A1' or 'a1 '`,
  };
}

/** Every index that a statement of ours relies on is there, with its columns in order. */
export async function checkIndexes(session: Session, kind: ServerKind): Promise<DoctorCheck> {
  const missing: string[] = [];
  for (const { name, indexes } of tables) {
    if (indexes.length === 0) continue;
    const live = await readLiveTable(session, kind, name);
    for (const { config } of indexes) {
      const columns = config.columns.map((column) => ("name" in column ? String(column.name) : "(expression)"));
      if (!live || !hasIndex(live, config.name ?? "", columns))
        missing.push(`${name}.${config.name ?? "?"} (${columns.join(", ")})`);
    }
  }
  if (missing.length === 0) return { id: "indexes", level: "ok", finding: "all indexes are present", advice: "" };
  return {
    id: "indexes",
    level: "fail",
    finding: `missing: ${missing.join("; ")}`,
    advice: "create them with exactly these names and columns: without them claims read the whole table",
  };
}

function hasIndex(live: LiveTable, name: string, columns: readonly string[]): boolean {
  return live.indexes.some((index) => index.name === name && index.columns.join() === columns.join());
}
