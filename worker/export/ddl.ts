import { ARCHIVE_SOURCES, type ArchiveSource } from "../../db/queries/read-archive.ts";
import { type ColumnKind, EXPORT_COLUMNS } from "./columns.ts";

export const DDL_DIALECTS = ["hive", "trino", "spark"] as const;
export type DdlDialect = (typeof DDL_DIALECTS)[number];

const TYPES: Readonly<Record<DdlDialect, Readonly<Record<ColumnKind, string>>>> = {
  hive: { int64: "BIGINT", int32: "INT", instant: "TIMESTAMP", text: "STRING" },
  spark: { int64: "BIGINT", int32: "INT", instant: "TIMESTAMP", text: "STRING" },
  trino: { int64: "BIGINT", int32: "INTEGER", instant: "TIMESTAMP(3)", text: "VARCHAR" },
};

/** Statements that make both tables over an exported folder known to a query engine. */
export function exportDdl(dialect: DdlDialect, location: string): string {
  return ARCHIVE_SOURCES.map((source) => tableDdl(dialect, source, location.replace(/\/+$/, ""))).join("\n");
}

function tableDdl(dialect: DdlDialect, source: ArchiveSource, location: string): string {
  const table = `redrive_${source}`;
  const partitions = source === "tasks" ? ["dt", "event_type"] : ["dt"];
  const columns = EXPORT_COLUMNS[source].map(({ name, kind }) => `  ${quote(dialect, name)} ${TYPES[dialect][kind]}`);
  const keys = partitions.map((name) => `${quote(dialect, name)} ${TYPES[dialect].text}`);
  // Hadoop's name for the store; Trino takes the plain one.
  const root = dialect === "trino" ? location : location.replace(/^s3:/, "s3a:");
  const place = `${root}/${source}`.replaceAll("'", dialect === "trino" ? "''" : "\\'");
  switch (dialect) {
    case "hive":
      return `CREATE EXTERNAL TABLE ${table} (
${columns.join(",\n")}
)
PARTITIONED BY (${keys.join(", ")})
STORED AS PARQUET
LOCATION '${place}';
MSCK REPAIR TABLE ${table};
`;
    case "spark":
      return `CREATE TABLE ${table} (
${[...columns, ...keys.map((key) => `  ${key}`)].join(",\n")}
)
USING PARQUET
PARTITIONED BY (${partitions.join(", ")})
LOCATION '${place}';
MSCK REPAIR TABLE ${table};
`;
    case "trino":
      return `CREATE TABLE ${table} (
${[...columns, ...keys.map((key) => `  ${key}`)].join(",\n")}
)
WITH (
  format = 'PARQUET',
  external_location = '${place}',
  partitioned_by = ARRAY[${partitions.map((name) => `'${name}'`).join(", ")}]
);
-- after each export; 'default' is the schema of the table
CALL system.sync_partition_metadata('default', '${table}', 'ADD');
`;
  }
}

const quote = (dialect: DdlDialect, name: string): string => (dialect === "trino" ? `"${name}"` : `\`${name}\``);
