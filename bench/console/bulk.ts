import type { TestDatabase } from "../../db/testing/test-database.ts";
import { BulkWorker } from "../../e2e/support/bulk-worker.ts";
import { quantile, rounded } from "../figures.ts";
import { pause } from "../load.ts";
import type { ConsoleClient } from "./client.ts";
import { BULK_TYPE } from "./seed-plan.ts";

const BATCH_ROWS = 5_000;
const INSERT_EVERY_MS = 10;
const ALONE_MS = 5_000;
const OPEN_STATES = ["scheduled", "canary", "running"];

interface BulkState {
  readonly id: string;
  readonly state: string;
  readonly done: number;
  readonly skipped: number;
  readonly startAt: string;
  readonly finishedAt?: string;
}

/**
 * Resets all failed tasks of one type by a bulk action at unlimited pace, made in the console and carried on by a process
 * of its own, while a service inserts due tasks of the same type: right where the reset tasks enter the index.
 */
export async function measureBulk(
  test: TestDatabase,
  client: ConsoleClient,
  bulkRows: number,
): Promise<Record<string, number | string>> {
  await makeFailedAgain(test);
  const order = { action: "reset", filter: { state: "failed", eventTypes: [BULK_TYPE] } };
  const alone = await insertsUntil(test, pause(ALONE_MS), "alone");
  const startedMs = performance.now();
  const { count } = await client.post<{ count: number }>("/api/v1/bulk/dry-run", order);
  const dryRunMs = performance.now() - startedMs;
  const worker = new BulkWorker({ DATABASE_URL: test.url, REDRIVE_ZONE: test.zone.name });
  try {
    const made = await client.post<BulkState>("/api/v1/bulk", {
      ...order,
      name: "bench",
      reason: "bench",
      ratePerSecond: null,
      confirmCount: count,
    });
    const waitsBefore = await rowLockWaits(test);
    const finished = untilFinished(client, made.id);
    const beside = await insertsUntil(test, finished, "beside");
    const waits = (await rowLockWaits(test)) - waitsBefore;
    const end = await finished;
    const seconds = (Date.parse(end.finishedAt ?? "") - Date.parse(end.startAt)) / 1_000;
    return {
      tasks: bulkRows,
      done: end.done,
      skipped: end.skipped,
      state: end.state,
      seconds: rounded(seconds),
      perSecond: rounded(end.done / seconds),
      dryRunMs: rounded(dryRunMs),
      /** Of anybody on the server: an insert that waited would be one. */
      rowLockWaits: waits,
      insertsBeside: beside.length,
      insertP50Ms: rounded(quantile(beside, 0.5)),
      insertP99Ms: rounded(quantile(beside, 0.99)),
      insertMaxMs: rounded(Math.max(...beside)),
      insertAloneP50Ms: rounded(quantile(alone, 0.5)),
      insertAloneP99Ms: rounded(quantile(alone, 0.99)),
      insertAloneMaxMs: rounded(Math.max(...alone)),
    };
  } finally {
    await worker.stop();
    await makeFailedAgain(test);
  }
}

async function untilFinished(client: ConsoleClient, id: string): Promise<BulkState> {
  for (;;) {
    const { bulk: seen } = await client.get<{ bulk: BulkState }>(`/api/v1/bulk/${id}`, { fresh: true });
    if (!OPEN_STATES.includes(seen.state)) return seen;
    await pause(500);
  }
}

/** Milliseconds of each insert, transaction and all. */
async function insertsUntil(test: TestDatabase, until: Promise<unknown>, prefix: string): Promise<number[]> {
  let isOver = false;
  const watched = until.finally(() => (isOver = true));
  const connection = await test.pool.getConnection();
  const took: number[] = [];
  try {
    for (let n = 0; !isOver; n++) {
      const startedMs = performance.now();
      await connection.beginTransaction();
      await connection.query(
        `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time)
          VALUES (?, ?, '{}', 0, 8, 'EXPONENTIAL', 10, ?)`,
        [BULK_TYPE, `business-${prefix}-${n}`, test.zone.format(new Date())],
      );
      await connection.commit();
      took.push(performance.now() - startedMs);
      await pause(INSERT_EVERY_MS);
    }
  } finally {
    connection.release();
  }
  await watched;
  return took;
}

async function rowLockWaits({ pool }: TestDatabase): Promise<number> {
  const [rows] = await pool.query("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_waits'");
  return Number((rows as { Value: string }[])[0]?.Value);
}

/** As it was before the action: the tasks failed, no action, no task of the business. */
async function makeFailedAgain({ pool }: TestDatabase): Promise<void> {
  await pool.query("TRUNCATE TABLE t_retry_bulk");
  await pool.query("TRUNCATE TABLE t_retry_bulk_item");
  const repeat = async (statement: string) => {
    for (;;) {
      const [{ affectedRows }] = (await pool.query(`${statement} LIMIT ${BATCH_ROWS}`)) as unknown as [
        { affectedRows: number },
      ];
      if (affectedRows < BATCH_ROWS) return;
    }
  };
  await repeat("DELETE FROM t_retry_task WHERE biz_key >= 'business-' AND biz_key < 'business.'");
  await repeat(
    `UPDATE t_retry_task SET status = 2, retry_count = 8, owner = 'bench', finish_reason = 'exhausted', finished_time = update_time
      WHERE event_type = '${BULK_TYPE}' AND status = 0`,
  );
}
