import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { mysqlConditions } from "../conditions.ts";
import type { Claim, Entry } from "../contestant.ts";
import { EVENT_TYPE, keyOf, payloadText } from "../payload.ts";
import { insertNumbered, writeOut } from "./numbered-rows.ts";

/*
 * Rows of a t_retry_task, whether ours or the article's: both have the columns written here.
 */

const COLUMNS =
  "event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time";
const ROW = "(?, ?, ?, 0, 8, 'EXPONENTIAL', 10, UTC_TIMESTAMP(3) - INTERVAL 1 DAY)";

/** What the two kinds of table and claim differ in. */
export interface TaskTable {
  /** Whether it is made by our migrations. */
  readonly migrated: boolean;
  setUp?(test: TestDatabase): Promise<void>;
  /** Further columns of a finished row, as SQL. */
  readonly finished?: Readonly<Record<string, string>>;
  claim(test: TestDatabase, limit: number, from?: string): Promise<Claim>;
}

/** A new database with that table. */
export async function enterTaskTable(server: string | undefined, table: TaskTable): Promise<Entry> {
  const test = await createTestDatabase({ migrated: table.migrated, ...(server ? { base: server } : {}) });
  try {
    await table.setUp?.(test);
    return {
      url: test.url,
      conditions: await mysqlConditions(test.pool),
      preload: async (from, count) => {
        await insertPendingRows(test, from, count);
        await analyze(test);
      },
      fillFinished: async (count) => {
        await fillFinishedRows(test, count, table.finished);
        await analyze(test);
        await writeOut(test.pool, "t_retry_task");
      },
      remaining: () => countOpen(test),
      claim: (limit, from) => table.claim(test, limit, from),
      leave: () => test.drop(),
    };
  } catch (error) {
    await test.drop();
    throw error;
  }
}

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

async function fillFinishedRows(test: TestDatabase, count: number, more: TaskTable["finished"] = {}): Promise<void> {
  const quoted = (text: string) => test.pool.escape(text);
  await insertNumbered(test.pool, count, "t_retry_task", {
    event_type: quoted(EVENT_TYPE),
    biz_key: "CONCAT('F', n)",
    biz_context: quoted(payloadText(0)),
    status: "1",
    max_retry_count: "8",
    retry_strategy: "'EXPONENTIAL'",
    first_retry_interval: "10",
    // Before those that are due, as what has ended mostly is.
    next_retry_time: "UTC_TIMESTAMP(3) - INTERVAL 2 DAY",
    ...more,
  });
}

/** By the statuses one after the other, each an equality of our index: finished rows are not walked. */
async function countOpen(test: TestDatabase): Promise<number> {
  const [rows] = await test.pool.query(
    `SELECT (SELECT COUNT(*) FROM t_retry_task WHERE event_type = ? AND status = 0)
      + (SELECT COUNT(*) FROM t_retry_task WHERE event_type = ? AND status = 3) AS count`,
    [EVENT_TYPE, EVENT_TYPE],
  );
  return Number((rows as { count: number }[])[0]?.count);
}

async function analyze(test: TestDatabase): Promise<void> {
  await test.pool.query("ANALYZE TABLE t_retry_task");
}
