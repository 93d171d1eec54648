import type { Pool } from "mysql2/promise";

/** Rows of one statement and transaction. */
const CHUNK_ROWS = 10_000;

/** A table whose one row lends its columns to the expressions, as `t`. */
export const TEMPLATE = "bench_template";

/**
 * Rows made inside the server from SQL expressions over the number `n`, counted from 0, a chunk a transaction; the binary
 * log, where the user may say so, is left out. Nothing is read from the table, so that its size does not matter.
 */
export async function insertNumbered(
  pool: Pool,
  count: number,
  table: string,
  columns: Readonly<Record<string, string>>,
  options: { readonly template?: boolean } = {},
): Promise<void> {
  if (count === 0) return;
  const connection = await pool.getConnection();
  try {
    await connection.query("SET SESSION sql_log_bin = 0").catch(() => undefined);
    await connection.query("CREATE TABLE IF NOT EXISTS bench_number (n INT PRIMARY KEY)");
    const numbers = Array.from({ length: CHUNK_ROWS }, (_, n) => `(${n})`);
    await connection.query(`INSERT IGNORE INTO bench_number VALUES ${numbers.join(",")}`);
    const names = Object.keys(columns)
      .map((name) => `\`${name}\``)
      .join(", ");
    const values = Object.values(columns).join(", ");
    for (let first = 0; first < count; first += CHUNK_ROWS) {
      await connection.query(
        `INSERT INTO ${table} (${names}) SELECT ${values} FROM (SELECT n + ${first} AS n FROM bench_number
          WHERE n < ${Math.min(CHUNK_ROWS, count - first)} ORDER BY n) AS numbers${options.template ? `, ${TEMPLATE} AS t` : ""}`,
      );
    }
  } finally {
    connection.destroy();
  }
}

/** Waits until the server has written the table's pages to disk, so that what follows does not pay for how it was filled. */
export async function writeOut(pool: Pool, table: string): Promise<void> {
  const connection = await pool.getConnection();
  try {
    await connection.query(`FLUSH TABLES ${table} FOR EXPORT`);
    await connection.query("UNLOCK TABLES");
  } finally {
    connection.release();
  }
}
