import mysql from "mysql2/promise";
import type { Database } from "../../db/client.ts";
import { claimDueTasks } from "../../db/queries/claim-tasks.ts";
import { completeTasks } from "../../db/queries/complete-tasks.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import { atRate, pause } from "../load.ts";

export const CLAIMED_TYPE = "BENCH_CLAIMED";
const CLAIMER = { owner: "bench-claimer", ip: "127.0.0.1" };
const ROWS_MAX = 10;
const EVERY_MS = 20;
const BUSINESS_CONNECTIONS = 8;
const BUSINESS_PAYLOAD = JSON.stringify({ note: "x".repeat(180) });

type TaskRow = readonly (string | number)[];

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

/** Transactions of a service beside them, at a fixed rate: a task each, whose time has not come. */
export async function insertFor(test: TestDatabase, perSecond: number, seconds: number): Promise<void> {
  if (perSecond === 0) return;
  const pool = mysql.createPool({ ...test.connection, connectionLimit: BUSINESS_CONNECTIONS });
  const later = test.zone.format(new Date(Date.now() + 86_400_000));
  try {
    await atRate(perSecond, perSecond * seconds, () => insertTask(pool, [businessRow(later)]));
  } finally {
    await pool.end();
  }
}

function businessRow(later: string): TaskRow {
  return ["BENCH_BUSINESS", `business-${seq++}`, BUSINESS_PAYLOAD, 0, 8, "EXPONENTIAL", 10, later];
}

async function insertDue({ pool, zone }: TestDatabase): Promise<void> {
  const due = zone.format(new Date(Date.now() - 1_000));
  await insertTask(
    pool,
    [seq++, seq++].map((n) => [CLAIMED_TYPE, `claimed-${n}`, "{}", 0, 8, "EXPONENTIAL", 10, due]),
  );
}

async function insertTask(pool: mysql.Pool, rows: readonly TaskRow[]): Promise<void> {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
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
