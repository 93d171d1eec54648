import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { bulkOf, insertFailed, runBulk, storeBulk } from "./bulk-scene.ts";

/*
 * The figures of docs/decisions/0013-bulk.md: resets ROWS failed tasks of three types without a limit of rows per second,
 * then as many with bare updates of the same batch size, and prints how long each took.
 *   node --import tsx worker/testing/measure-bulk.ts ROWS
 */

const [rows = 100_000] = process.argv.slice(2).map(Number);
const TYPES = ["PAY", "SHIP", "MAIL"];

async function fill(test: TestDatabase, prefix: string): Promise<void> {
  for (const eventType of TYPES) {
    await insertFailed(test, { eventType, count: Math.round(rows / TYPES.length), prefix });
  }
  await test.pool.query("ANALYZE TABLE t_retry_task");
}

/** The same change of the same rows, 200 at a time by id, each in a transaction of its own, and nothing else. */
async function bareUpdates(test: TestDatabase): Promise<number> {
  const [found] = await test.pool.query("SELECT id FROM t_retry_task WHERE status = 2 ORDER BY id");
  const ids = (found as { id: number }[]).map(({ id }) => id);
  const started = performance.now();
  for (let start = 0; start < ids.length; start += 200) {
    await test.pool.query(
      `UPDATE t_retry_task FORCE INDEX (PRIMARY) SET status = 0, owner = NULL, ip = NULL, next_retry_time = UTC_TIMESTAMP(3), retry_count = 0,
        recycle_count = 0, finish_reason = NULL, started_time = NULL, finished_time = NULL, update_time = UTC_TIMESTAMP(3)
        WHERE id IN (${ids.slice(start, start + 200).join(",")}) AND status = 2`,
    );
  }
  return (performance.now() - started) / 1_000;
}

const test = await createTestDatabase();
try {
  await fill(test, "a");
  const id = await storeBulk(test, { filter: { eventTypes: TYPES } });
  const started = performance.now();
  await runBulk(test, id);
  const seconds = (performance.now() - started) / 1_000;
  const { doneCount, skippedCount } = await bulkOf(test, id);
  await test.pool.query("DELETE FROM t_retry_task");
  await fill(test, "b");
  const bareSeconds = await bareUpdates(test);
  process.stdout.write(
    `${JSON.stringify({
      server: test.kind,
      done: doneCount,
      skipped: skippedCount,
      seconds: Number(seconds.toFixed(1)),
      bareSeconds: Number(bareSeconds.toFixed(1)),
      ratio: Number((seconds / bareSeconds).toFixed(2)),
      rssMiB: Math.round(process.memoryUsage().rss / 1_048_576),
    })}\n`,
  );
} finally {
  await test.drop();
}
