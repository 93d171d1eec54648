import { fileURLToPath } from "node:url";
import { ARCHIVE_SOURCES, type ArchiveSource } from "../../db/queries/read-archive.ts";
import { type ColumnKind, EXPORT_COLUMNS } from "./columns.ts";

export const DDL_DIALECTS = ["hive", "trino", "spark"] as const;
export type DdlDialect = (typeof DDL_DIALECTS)[number];

const TYPES: Readonly<Record<DdlDialect, Readonly<Record<ColumnKind, string>>>> = {
  hive: { int64: "BIGINT", int32: "INT", instant: "TIMESTAMP", text: "STRING" },
  spark: { int64: "BIGINT", int32: "INT", instant: "TIMESTAMP", text: "STRING" },
  // The one precision that Trino's Hive connector takes unless hive.timestamp-precision says otherwise.
  trino: { int64: "BIGINT", int32: "INTEGER", instant: "TIMESTAMP(3)", text: "VARCHAR" },
};

/**
 * Statements that make both tables over an exported folder known to a query engine.
 * @param location the target's name, such as `s3://bucket/prefix` or `file:///folder`; it may hold any character
 */
export function exportDdl(dialect: DdlDialect, location: string): string {
  return ARCHIVE_SOURCES.map((source) => tableDdl(dialect, source, rootOf(dialect, location))).join("\n");
}

function tableDdl(dialect: DdlDialect, source: ArchiveSource, root: string): string {
  const table = `redrive_${source}`;
  const partitions = source === "tasks" ? ["dt", "event_type"] : ["dt"];
  const columns = EXPORT_COLUMNS[source].map(({ name, kind }) => `  ${quote(dialect, name)} ${TYPES[dialect][kind]}`);
  const keys = partitions.map((name) => `${quote(dialect, name)} ${TYPES[dialect].text}`);
  const place = literal(dialect, `${root}/${source}`);
  switch (dialect) {
    case "hive":
      return `CREATE EXTERNAL TABLE ${table} (
${columns.join(",\n")}
)
PARTITIONED BY (${keys.join(", ")})
STORED AS PARQUET
LOCATION ${place};
-- after each export (a day without tasks is a folder without partitions, an error unless it is skipped)
SET hive.msck.path.validation=skip;
MSCK REPAIR TABLE ${table};
`;
    case "spark":
      return `CREATE TABLE ${table} (
${[...columns, ...keys.map((key) => `  ${key}`)].join(",\n")}
)
USING PARQUET
PARTITIONED BY (${partitions.join(", ")})
LOCATION ${place};
-- after each export
MSCK REPAIR TABLE ${table};
`;
    case "trino":
      return `CREATE TABLE ${table} (
${[...columns, ...keys.map((key) => `  ${key}`)].join(",\n")}
)
WITH (
  format = 'PARQUET',
  external_location = ${place},
  partitioned_by = ARRAY[${partitions.map((name) => `'${name}'`).join(", ")}]
);
-- after each export (default is the schema of the table)
CALL system.sync_partition_metadata('default', '${table}', 'ADD');
`;
  }
}

/**
 * The location as the engine names it. All of them take it as it is, not as a URL: `%20` would be three characters of the
 * folder's name. Hive and Spark reach a bucket through Hadoop, whose name for the store is `s3a`.
 */
function rootOf(dialect: DdlDialect, location: string): string {
  const plain = location.startsWith("file:") ? `file://${fileURLToPath(location)}` : location;
  const root = plain.replace(/\/+$/, "");
  return dialect === "trino" ? root : root.replace(/^s3:/, "s3a:");
}

const quote = (dialect: DdlDialect, name: string): string => (dialect === "trino" ? `"${name}"` : `\`${name}\``);

/** A text as a string literal that the engine reads back as that very text, and that drives no terminal on the way. */
function literal(dialect: DdlDialect, text: string): string {
  return dialect === "trino" ? trinoLiteral(text) : hadoopLiteral(text);
}

function trinoLiteral(text: string): string {
  const quoted = text.replaceAll("'", "''");
  if (!/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text)) return `'${quoted}'`;
  const escaped = quoted
    .replaceAll("\\", "\\\\")
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => `\\+${hexOf(one.codePointAt(0) ?? 0, 6)}`);
  return `U&'${escaped}'`;
}

/** The command lines of Hive and Spark end a statement at `;` and replace `${…}` before anything looks for quotes. */
function hadoopLiteral(text: string): string {
  const escaped = text
    .replaceAll(/['\\]/g, "\\$&")
    .replaceAll(/[;$\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) =>
      one.replaceAll(/[^]/g, (unit) => `\\u${hexOf(unit.charCodeAt(0), 4)}`),
    );
  return `'${escaped}'`;
}

const hexOf = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");
