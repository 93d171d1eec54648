import type { TestDatabase } from "../../db/testing/test-database.ts";
import { EVENT_TYPE, keyOf, payloadText } from "../payload.ts";

/*
 * Rows of a t_retry_task, whether ours or the article's: both have the columns written here.
 */

const COLUMNS =
  "event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time";
const ROW = "(?, ?, ?, 0, 8, 'EXPONENTIAL', 10, UTC_TIMESTAMP(3) - INTERVAL 1 DAY)";

/** One plain INSERT of pending tasks, due in every zone a server may have: the article compares with NOW(). */
export function insertText(rows: number): string {
  return `INSERT INTO t_retry_task (${COLUMNS}) VALUES ${Array.from({ length: rows }, () => ROW).join(", ")}`;
}

export function insertValues(seqs: readonly number[]): string[] {
  return seqs.flatMap((seq) => [EVENT_TYPE, keyOf(seq), payloadText(seq)]);
}

export async function insertPendingRows(test: TestDatabase, from: number, count: number): Promise<void> {
  for (let start = from; start < from + count; start += 1_000) {
    const seqs = Array.from({ length: Math.min(1_000, from + count - start) }, (_, index) => start + index);
    await test.pool.query(insertText(seqs.length), insertValues(seqs));
  }
}

/** Finished rows, made inside the server: each round doubles what is there. `more` sets further columns. */
export async function fillFinishedRows(
  test: TestDatabase,
  count: number,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (count === 0) return;
  const extra = Object.keys(more)
    .map((name) => `, ${name}`)
    .join("");
  const values = Object.values(more)
    .map((value) => `, ${value}`)
    .join("");
  const insert = `INSERT INTO t_retry_task (${COLUMNS}${extra})`;
  await test.pool.query(
    `${insert} VALUES (?, 'F0', ?, 1, 8, 'EXPONENTIAL', 10, UTC_TIMESTAMP(3) - INTERVAL 1 HOUR${values})`,
    [EVENT_TYPE, payloadText(0)],
  );
  for (let there = 1; there < count;) {
    const next = Math.min(there, count - there, 50_000);
    const first = there - next;
    await test.pool.query(
      `${insert} SELECT event_type, CONCAT('F', CAST(SUBSTRING(biz_key, 2) AS UNSIGNED) + ?), biz_context, 1, 8, 'EXPONENTIAL',
        10, next_retry_time${values} FROM t_retry_task WHERE status = 1 AND biz_key LIKE 'F%' ORDER BY id LIMIT ?, ?`,
      [next, first, next],
    );
    there += next;
  }
}

export async function countRows(test: TestDatabase, where: string, values: readonly string[] = []): Promise<number> {
  const [rows] = await test.pool.query(`SELECT COUNT(*) AS count FROM t_retry_task WHERE ${where}`, [...values]);
  return Number((rows as { count: number }[])[0]?.count);
}

export async function analyze(test: TestDatabase): Promise<void> {
  await test.pool.query("ANALYZE TABLE t_retry_task");
}
