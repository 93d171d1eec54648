import { DuckDBInstance } from "@duckdb/node-api";

export type DuckRow = Readonly<Record<string, string | number | boolean | null>>;

/** Runs one query in an engine that shares no code with ours; 64-bit integers come as text. */
export async function queryDuck(text: string): Promise<DuckRow[]> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(text);
    return reader.getRowObjectsJson() as DuckRow[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The exported tasks below a folder as a table, read as any engine of the Hive layout reads them. */
export const duckTasks = (folder: string): string =>
  `read_parquet('${folder}/tasks/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false)`;

export const duckAttempts = (folder: string): string =>
  `read_parquet('${folder}/attempts/*/*.parquet', hive_partitioning = true, hive_types_autocast = false)`;
