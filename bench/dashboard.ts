import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { readMinutes, readRollups, ROLLUP_MS, type RollupLevel } from "../db/queries/metric-rollups.ts";
import { listCauseHours } from "../db/queries/list-causes.ts";
import { createTestDatabase } from "../db/testing/test-database.ts";
import { MetricRollup } from "../worker/duties/metric-rollup.ts";

/**
 * Fills a database of its own with a week of metrics and a day of failures and prints how long the dashboard's reads
 * take. `node --import tsx bench/dashboard.ts [--types 50] [--workers 10]`; the server is TEST_DATABASE_URL.
 */
const { values } = parseArgs({
  options: { types: { type: "string", default: "50" }, workers: { type: "string", default: "10" } },
});
const types = Array.from({ length: Number(values.types) }, (_, n) => `EVENT_TYPE_${String(n).padStart(3, "0")}`);
const workers = Array.from({ length: Number(values.workers) }, (_, n) => `worker-${n}-0123456789abcdef`);
const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 86_400_000;
const ROUNDS = 40;

const test = await createTestDatabase();
try {
  const now = Date.now();
  const run = (text: string) => test.pool.query(text);
  await run("CREATE TABLE digits (n INT PRIMARY KEY)");
  await run(`INSERT INTO digits VALUES ${Array.from({ length: 10_080 }, (_, n) => `(${n})`).join(",")}`);
  await run("CREATE TABLE names (event_type VARCHAR(64), source VARCHAR(64))");
  const pairs = types.flatMap((type) => [...workers, "cluster"].map((source) => `('${type}', '${source}')`));
  await run(`INSERT INTO names VALUES ${pairs.join(",")}`);
  const firstMinute = test.zone.format(new Date(Math.floor((now - WEEK_MS) / MINUTE_MS + 1) * MINUTE_MS));
  const seededAt = performance.now();
  for (let from = 0; from < 10_080; from += 240) {
    await run(`INSERT INTO t_retry_metric (minute, event_type, source, pending, due, running, failed, oldest_due_age_ms,
      enqueued_count, succeeded_count, retried_count, latency_histogram)
      SELECT TIMESTAMPADD(MINUTE, n, '${firstMinute}') AS minute, event_type, source, IF(source = 'cluster', 900, NULL),
        IF(source = 'cluster', 90, NULL), IF(source = 'cluster', 9, NULL), IF(source = 'cluster', 1, NULL),
        IF(source = 'cluster', 1500, NULL), 60, 55, 5, '[0,0,0,12,40,3,0,0,0,0,0,0,0,0,0,0]'
      FROM digits CROSS JOIN names WHERE n >= ${from} AND n < ${from + 240} ORDER BY minute, event_type, source`);
  }
  await run(`INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, error, error_fingerprint, create_time)
    SELECT n, '${types[0] ?? ""}', IF(n % 3 = 0, 'failed', 'retried'), 1, 1, REPEAT('stack line ', 200), CONCAT('f', n % 40),
      TIMESTAMPADD(SECOND, -n, ${`'${test.zone.format(new Date(now))}'`}) FROM
      (SELECT a.n * 10 + b.n AS n FROM digits a CROSS JOIN digits b WHERE b.n < 10 AND a.n < 9000) AS seconds ORDER BY n DESC`);
  await run("ANALYZE TABLE t_retry_metric, t_retry_attempt");
  const [[size]] = (await run("SELECT COUNT(*) AS rows_stored FROM t_retry_metric")) as unknown as [
    [{ rows_stored: number }],
  ];
  const [[server]] = (await run("SELECT VERSION() AS version")) as unknown as [[{ version: string }]];
  console.log(`${server.version}: ${size.rows_stored} metric rows seeded in ${seconds(seededAt)} s`);

  const rollup = new MetricRollup(test.database);
  const rolledAt = performance.now();
  let buckets = 0;
  for (let last = 12; last === 12; buckets += last) last = await rollup.runOnce(types);
  console.log(`caught up on ${buckets} buckets in ${seconds(rolledAt)} s`);

  const starts = (level: RollupLevel, ms: number) => {
    const open = Math.floor(now / ROLLUP_MS[level]) * ROLLUP_MS[level];
    return Array.from({ length: ms / ROLLUP_MS[level] + 1 }, (_, n) => new Date(open - n * ROLLUP_MS[level]));
  };
  const rolledUp = (level: RollupLevel, ms: number) => () =>
    test.database.use((session) => readRollups(session, { level, starts: starts(level, ms), eventTypes: types }));
  const grouped = (ms: number) => () =>
    test.database.use((session) => readMinutes(session, { from: new Date(now - ms), to: new Date(now) }));
  console.log(
    `load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(", ")}`,
  );
  await time("1 h, minutes of all workers", grouped(3_600_000));
  await time("6 h, five-minute buckets", rolledUp("5m", 6 * 3_600_000));
  await time("24 h, buckets of a quarter of an hour", rolledUp("15m", 86_400_000));
  await time("7 d, buckets of two hours", rolledUp("2h", WEEK_MS));
  await time("causes of 24 h, 90,000 attempts", () => test.database.use((session) => listCauseHours(session)));
  await time("one run of the rollup", () => rollup.runOnce(types));
  await time("for comparison: 6 h, minutes of all workers", grouped(6 * 3_600_000), 5);
  await time("for comparison: 24 h, minutes of all workers", grouped(86_400_000), 3);
} finally {
  await test.drop();
}

async function time(name: string, work: () => Promise<unknown>, rounds = ROUNDS): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1);
  console.log(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(1);
}
