import type { PoolConnection } from "mysql2/promise";
import type { TestDatabase } from "../../db/testing/test-database.ts";

/** Rows of one statement and transaction. */
export const CHUNK_ROWS = 10_000;

/** So many numbered rows, made by the server a chunk at a time. */
export interface SeedPart {
  readonly name: string;
  readonly rows: number;
  /** Statements for the rows whose numbers `numbers` yields, a derived table with the one column `n`. */
  statements(numbers: string, chunk: { readonly from: number; readonly to: number }): readonly string[];
}

/** The table of what is done, and of the numbers that chunks are made from. */
export async function prepareChunks({ pool }: TestDatabase): Promise<void> {
  await pool.query(
    "CREATE TABLE IF NOT EXISTS bench_chunk (part VARCHAR(32) NOT NULL, first BIGINT NOT NULL, PRIMARY KEY (part, first))",
  );
  await pool.query("CREATE TABLE IF NOT EXISTS bench_fact (name VARCHAR(32) PRIMARY KEY, value VARCHAR(255) NOT NULL)");
  await pool.query("CREATE TABLE IF NOT EXISTS bench_number (n INT PRIMARY KEY)");
  const [[{ count }]] = (await pool.query("SELECT COUNT(*) AS count FROM bench_number")) as unknown as [
    [{ count: number }],
  ];
  if (Number(count) >= CHUNK_ROWS) return;
  const rows = Array.from({ length: CHUNK_ROWS }, (_, n) => `(${n})`);
  await pool.query(`INSERT IGNORE INTO bench_number VALUES ${rows.join(",")}`);
}

/** A value that is the same for all runs on this database: the first one who asks decides it. */
export async function factOf({ pool }: TestDatabase, name: string, initial: string): Promise<string> {
  await pool.query("INSERT IGNORE INTO bench_fact VALUES (?, ?)", [name, initial]);
  const [[row]] = (await pool.query("SELECT value FROM bench_fact WHERE name = ?", [name])) as unknown as [
    [{ value: string }],
  ];
  return row.value;
}

/**
 * Makes the rows that are missing, on `loops` connections at once. Each chunk is a transaction that also notes it, so that
 * a run that was cut off goes on where it was. Answers whether there was anything to do.
 */
export async function seedPart(
  test: TestDatabase,
  part: SeedPart,
  options: { readonly loops: number; readonly say: (text: string) => void },
): Promise<boolean> {
  const [found] = await test.pool.query("SELECT first FROM bench_chunk WHERE part = ?", [part.name]);
  const done = new Set((found as { first: number | string }[]).map(({ first }) => Number(first)));
  const missing: number[] = [];
  for (let first = 0; first < part.rows; first += CHUNK_ROWS) if (!done.has(first)) missing.push(first);
  if (missing.length === 0) return false;
  const startedMs = performance.now();
  let made = 0;
  const next = missing[Symbol.iterator]();
  const loop = async () => {
    const connection = await test.pool.getConnection();
    try {
      // Rows that are thrown away need not fill the binary log; a user who may not say so writes it.
      await connection.query("SET SESSION sql_log_bin = 0").catch(() => undefined);
      for (const first of next) {
        await seedChunk(connection, part, first);
        made++;
        if (made % 50 === 0 || made === missing.length) {
          const perSecond = Math.round((made * CHUNK_ROWS) / ((performance.now() - startedMs) / 1_000));
          options.say(`${part.name}: ${(done.size + made) * CHUNK_ROWS} of ${part.rows} rows, ${perSecond} rows/s`);
        }
      }
    } finally {
      connection.destroy();
    }
  };
  await Promise.all(Array.from({ length: options.loops }, loop));
  return true;
}

async function seedChunk(connection: PoolConnection, part: SeedPart, first: number): Promise<void> {
  const to = Math.min(first + CHUNK_ROWS, part.rows);
  const numbers = `(SELECT n + ${first} AS n FROM bench_number WHERE n < ${to - first} ORDER BY n) AS numbers`;
  await connection.beginTransaction();
  for (const statement of part.statements(numbers, { from: first, to })) await connection.query(statement);
  await connection.query("INSERT INTO bench_chunk VALUES (?, ?)", [part.name, first]);
  await connection.commit();
}
