import { sql } from "drizzle-orm";
import type { ServerKind } from "../server-version.ts";
import type { Session } from "../session.ts";
import type { IndexDefinition } from "./table-definition.ts";

/** A column as the database has it, in words that are the same on MySQL and MariaDB. */
export interface LiveColumn {
  readonly name: string;
  /** Type with length but without the display width of integers: `bigint`, `int unsigned`, `varchar(64)`. */
  readonly type: string;
  /** Type without length: `varchar`. */
  readonly dataType: string;
  /** Characters that fit, for text of limited length. */
  readonly lengthMax: number | undefined;
  readonly isNullable: boolean;
  readonly isAutoIncrement: boolean;
  readonly isGenerated: boolean;
  /** SQL text that may follow DEFAULT; `undefined` for none and for NULL. */
  readonly defaultSql: string | undefined;
  readonly onUpdateSql: string | undefined;
  readonly collation: string | undefined;
  readonly comment: string;
}

export interface LiveTable {
  readonly table: string;
  readonly engine: string;
  readonly collation: string;
  /** The server's estimate. */
  readonly rowsEstimate: number;
  readonly columns: readonly LiveColumn[];
  readonly primaryKey: readonly string[];
  /** Without the primary key. */
  readonly indexes: readonly IndexDefinition[];
}

/** Reads a table from information_schema, or answers `undefined` if the session's database does not hold it. */
export async function readLiveTable(session: Session, kind: ServerKind, table: string): Promise<LiveTable | undefined> {
  const [head] = await session.rows<{ engine: string; collation: string; rowsEstimate: number | string | null }>(
    sql`SELECT engine AS engine, table_collation AS collation, table_rows AS rowsEstimate
        FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ${table}`,
  );
  if (!head) return undefined;
  const indexes = await readIndexes(session, table);
  return {
    table,
    engine: head.engine,
    collation: head.collation,
    rowsEstimate: Number(head.rowsEstimate ?? 0),
    columns: await readColumns(session, kind, table),
    primaryKey: indexes.find((index) => index.name === "PRIMARY")?.columns ?? [],
    indexes: indexes.filter((index) => index.name !== "PRIMARY"),
  };
}

interface ColumnRow {
  readonly name: string;
  readonly columnType: string;
  readonly dataType: string;
  readonly lengthMax: number | string | null;
  readonly nullable: string;
  readonly extra: string;
  readonly columnDefault: string | null;
  readonly collation: string | null;
  readonly comment: string;
}

async function readColumns(session: Session, kind: ServerKind, table: string): Promise<LiveColumn[]> {
  const rows = await session.rows<ColumnRow>(
    sql`SELECT column_name AS name, column_type AS columnType, data_type AS dataType,
          character_maximum_length AS lengthMax, is_nullable AS nullable, extra AS extra,
          column_default AS columnDefault, collation_name AS collation, column_comment AS comment
        FROM information_schema.columns
        WHERE table_schema = DATABASE() AND table_name = ${table} ORDER BY ordinal_position`,
  );
  return rows.map((row) => ({
    name: row.name,
    type: row.columnType.toLowerCase().replace(/^((?:tiny|small|medium|big)?int)\(\d+\)/, "$1"),
    dataType: row.dataType.toLowerCase(),
    lengthMax: row.lengthMax === null ? undefined : Number(row.lengthMax),
    isNullable: row.nullable === "YES",
    isAutoIncrement: /auto_increment/i.test(row.extra),
    isGenerated: /\b(virtual|stored|persistent)\b/i.test(row.extra),
    defaultSql: defaultSql(kind, row),
    onUpdateSql: /on update (\S+)/i.exec(row.extra)?.[1],
    collation: row.collation ?? undefined,
    comment: row.comment,
  }));
}

/** MySQL gives literals bare and marks expressions in `extra`; MariaDB gives SQL text and the word NULL. */
function defaultSql(kind: ServerKind, row: ColumnRow): string | undefined {
  const text = row.columnDefault;
  if (text === null) return undefined;
  if (kind === "mariadb") return text === "NULL" ? undefined : text;
  if (!/DEFAULT_GENERATED/i.test(row.extra)) return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
  return /^current_timestamp/i.test(text) ? text : `(${text})`;
}

async function readIndexes(session: Session, table: string): Promise<IndexDefinition[]> {
  const rows = await session.rows<{ name: string; nonUnique: number | string; column: string | null }>(
    sql`SELECT index_name AS name, non_unique AS nonUnique, column_name AS \`column\`
        FROM information_schema.statistics
        WHERE table_schema = DATABASE() AND table_name = ${table} ORDER BY index_name, seq_in_index`,
  );
  const indexes = new Map<string, { name: string; isUnique: boolean; columns: string[] }>();
  for (const row of rows) {
    const index = indexes.get(row.name) ?? { name: row.name, isUnique: Number(row.nonUnique) === 0, columns: [] };
    index.columns.push(row.column ?? "(expression)");
    indexes.set(row.name, index);
  }
  return [...indexes.values()];
}
