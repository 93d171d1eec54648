import type { Database } from "../../db/client.ts";
import { claimDueTasks } from "../../db/queries/claim-tasks.ts";
import { completeTasks } from "../../db/queries/complete-tasks.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import { pause } from "../load.ts";

export const CLAIMED_TYPE = "BENCH_CLAIMED";
const CLAIMER = { owner: "bench-claimer", ip: "127.0.0.1" };
const ROWS_MAX = 10;
const EVERY_MS = 20;

export interface Took {
  readonly claimMs: number[];
  readonly insertMs: number[];
}

let seq = 0;

/**
 * Two due tasks in a business transaction, then the claim that a poller makes and the success that it writes, some fifty
 * times a second, until the time is over.
 */
export async function claimFor(test: TestDatabase, database: Database, seconds: number, took: Took): Promise<void> {
  const untilMs = performance.now() + seconds * 1_000;
  while (performance.now() < untilMs) {
    const startedMs = performance.now();
    await insertDue(test);
    const insertedMs = performance.now();
    const tasks = await database.transaction((session) =>
      claimDueTasks(session, CLAIMER, { eventType: CLAIMED_TYPE, limit: ROWS_MAX }),
    );
    took.claimMs.push(performance.now() - insertedMs);
    took.insertMs.push(insertedMs - startedMs);
    if (tasks.length > 0) await database.use((session) => completeTasks(session, CLAIMER.owner, tasks));
    await pause(Math.max(1, startedMs + EVERY_MS - performance.now()));
  }
}

async function insertDue({ pool, zone }: TestDatabase): Promise<void> {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    const due = zone.format(new Date(Date.now() - 1_000));
    const rows = [seq++, seq++].map((n) => [CLAIMED_TYPE, `claimed-${n}`, "{}", 0, 8, "EXPONENTIAL", 10, due]);
    await connection.query(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time)
        VALUES ?`,
      [rows],
    );
    await connection.commit();
  } finally {
    connection.release();
  }
}
