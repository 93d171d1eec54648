import { sql } from "drizzle-orm";
import { type ServerKind, binaryCollation } from "../server-version.ts";
import type { Session } from "../session.ts";
import type { ColumnDefinition, IndexDefinition } from "./table-definition.ts";

const EXAMPLES = 3;

/** Rows that hold NULL where none is allowed any more, as a problem text with examples; empty if there are none. */
export async function findNulls(session: Session, table: string, column: string): Promise<string[]> {
  const rows = await session.rows<{ id: number | string }>(
    sql`SELECT id FROM ${sql.identifier(table)} WHERE ${sql.identifier(column)} IS NULL ORDER BY id LIMIT ${sql.raw(String(EXAMPLES))}`,
  );
  if (rows.length === 0) return [];
  return [`${column} is NULL in rows such as id ${idsOf(rows)}: give them a value`];
}

/** Rows whose text would not fit any more, as a problem text with examples; empty if there are none. */
export async function findTooLong(
  session: Session,
  table: string,
  column: ColumnDefinition,
  limit: number,
): Promise<string[]> {
  const isCounted = column.type.startsWith("varchar");
  const name = sql.identifier(column.name);
  const length = isCounted ? sql`CHAR_LENGTH(${name})` : sql`LENGTH(CONVERT(${name} USING utf8mb4))`;
  const rows = await session.rows<{ id: number | string }>(
    sql`SELECT id FROM ${sql.identifier(table)} WHERE ${length} > ${limit} ORDER BY id LIMIT ${sql.raw(String(EXAMPLES))}`,
  );
  if (rows.length === 0) return [];
  const unit = isCounted ? "characters" : "bytes";
  return [`${column.name} is longer than ${limit} ${unit} in rows such as id ${idsOf(rows)}: shorten or remove them`];
}

/** Rows that share a key which must be unique, compared byte by byte; empty if there are none. */
export async function findDuplicateKeys(
  session: Session,
  kind: ServerKind,
  table: string,
  index: IndexDefinition,
): Promise<string[]> {
  const collation = sql.raw(binaryCollation(kind));
  const keys = index.columns.map(
    (column) => sql`CONVERT(${sql.identifier(column)} USING utf8mb4) COLLATE ${collation}`,
  );
  const rows = await session.rows<{ first: number | string; last: number | string }>(
    sql`SELECT MIN(id) AS \`first\`, MAX(id) AS \`last\` FROM ${sql.identifier(table)}
        GROUP BY ${sql.join(keys, sql`, `)} HAVING COUNT(*) > 1 ORDER BY 1 LIMIT ${sql.raw(String(EXAMPLES))}`,
  );
  if (rows.length === 0) return [];
  const pairs = rows.map(({ first, last }) => `${first} and ${last}`).join(", ");
  return [`rows have the same (${index.columns.join(", ")}), such as ids ${pairs}: remove one of each`];
}

function idsOf(rows: readonly { id: number | string }[]): string {
  return rows.map(({ id }) => id).join(", ");
}
