import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { foldMetrics, startOfBucket } from "../../db/fold-metrics.ts";
import { readMinutes, readRollups, ROLLUP_MS, type RollupLevel } from "../../db/queries/metric-rollups.ts";
import { addMetricCounts, METRIC_COUNTERS, type MetricCounts, storeTypeGauges } from "../../db/queries/metrics.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { BUCKETS_PER_RUN, MetricRollup, ROLLED_BACK_MS } from "./metric-rollup.ts";

const MINUTE_MS = 60_000;
const TYPES = ["A", "B"];
const NONE = Object.fromEntries(METRIC_COUNTERS.map((name) => [name, 0])) as MetricCounts;

let test: TestDatabase;
let now: number;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.pool.query("DELETE FROM t_retry_metric");
  now = Date.now();
});

const ago = (ms: number) => new Date(now - ms);
const count = (at: Date, source: string, counts: Partial<MetricCounts>, eventType = "A") =>
  test.database.use((session) =>
    addMetricCounts(session.at(at), { eventType, source, counts: { ...NONE, ...counts } }),
  );
const sample = (at: Date, due: number, oldestDueAgeMs: number) =>
  test.database.use((session) =>
    storeTypeGauges(session.at(at), "A", { pending: due + 1, due, running: 2, failed: 3, oldestDueAgeMs }),
  );
const rolled = (level: RollupLevel, at: Date, eventTypes = TYPES) =>
  test.database.use((session) =>
    readRollups(session, { level, starts: [startOfBucket(at, ROLLUP_MS[level])], eventTypes }),
  );
/** A few hours, of which each test rolls all; the week is for the test of catching up. */
const newRollup = (rolledBackMs = 8 * 3_600_000) => new MetricRollup(test.database, { rolledBackMs });

async function rollAll(rollup: MetricRollup): Promise<void> {
  while ((await rollup.runOnce(TYPES)) === BUCKETS_PER_RUN);
}

describe("the rollup of metrics", () => {
  it("sums the counters of all workers and keeps the highest sample, in buckets of all three lengths", async () => {
    const start = startOfBucket(ago(5 * 3_600_000), ROLLUP_MS["2h"]).getTime();
    const within = (minutes: number) => new Date(start + minutes * MINUTE_MS);
    await count(within(0), "w-1", { succeeded: 5, failed: 1 });
    await count(within(4), "w-2", { succeeded: 7 });
    await count(within(5), "w-2", { retried: 2 });
    await count(within(5), "w-1", { enqueued: 9 }, "B");
    await sample(within(1), 40, 1_000);
    await sample(within(3), 4, 90_000);
    await rollAll(newRollup());

    expect(await rolled("5m", within(0))).toEqual([
      {
        at: within(0),
        eventType: "A",
        gauges: { pending: 41, due: 40, running: 2, failed: 3, oldestDueAgeMs: 90_000 },
        counts: { ...NONE, succeeded: 12, failed: 1 },
      },
    ]);
    expect((await rolled("15m", within(0))).find(({ eventType }) => eventType === "A")?.counts.retried).toBe(2);
    const long = await rolled("2h", within(100));
    expect(long.find(({ eventType }) => eventType === "A")).toMatchObject({
      gauges: { due: 40 },
      counts: { succeeded: 12, failed: 1, retried: 2 },
    });
    expect(long.find(({ eventType }) => eventType === "B")).toMatchObject({
      gauges: undefined,
      counts: { enqueued: 9 },
    });
  });

  it("folds the open bucket anew at each run and counts nothing twice", async () => {
    const rollup = newRollup();
    await count(ago(0), "w-1", { succeeded: 1 });
    await rollAll(rollup);
    await count(ago(0), "w-1", { succeeded: 2 });
    await rollup.runOnce(TYPES);
    await rollup.runOnce(TYPES);
    const seen = await Promise.all([ago(0), new Date()].map((at) => rolled("5m", at)));
    const buckets = new Map(seen.flat().map((bucket) => [bucket.at.getTime(), bucket.counts.succeeded]));
    expect([...buckets.values()].reduce((sum, one) => sum + one, 0)).toBe(3);
  });

  it("goes on after a change of the elected worker with the bucket that its predecessor left open", async () => {
    const open = startOfBucket(ago(40 * MINUTE_MS), ROLLUP_MS["5m"]);
    await count(open, "w-1", { succeeded: 1 });
    await rollAll(newRollup());
    // What the predecessor stored later than this bucket is gone, as if it had died then.
    await test.pool.query("DELETE FROM t_retry_metric WHERE source IN ('5m', '15m', '2h') AND minute > ?", [
      test.zone.format(open),
    ]);
    await count(new Date(open.getTime() + MINUTE_MS), "w-1", { succeeded: 10 });
    await count(new Date(open.getTime() + ROLLUP_MS["5m"]), "w-1", { succeeded: 100 });
    const successor = newRollup();
    expect(await successor.runOnce(TYPES), "from the open bucket on, not from a week ago").toBeLessThan(
      BUCKETS_PER_RUN,
    );
    expect((await rolled("5m", open))[0]?.counts.succeeded).toBe(11);
    expect((await rolled("5m", new Date(open.getTime() + ROLLUP_MS["5m"])))[0]?.counts.succeeded).toBe(100);
  });

  it("catches up on a week by an hour at a time", async () => {
    const first = startOfBucket(ago(7 * 86_400_000 - 2 * ROLLUP_MS["5m"]), ROLLUP_MS["5m"]);
    await count(first, "w-1", { succeeded: 3 });
    const rollup = newRollup(ROLLED_BACK_MS);
    expect(await rollup.runOnce(TYPES)).toBe(BUCKETS_PER_RUN);
    expect((await rolled("5m", first))[0]?.counts.succeeded).toBe(3);
  });

  it("is left out where minutes are summed up", async () => {
    await count(ago(10 * MINUTE_MS), "w-1", { succeeded: 3 });
    await rollAll(newRollup());
    const minutes = await test.database.use((session) =>
      readMinutes(session, { from: ago(3_600_000), to: new Date(now + 1) }),
    );
    expect(foldMetrics(minutes, 86_400_000).reduce((sum, { counts }) => sum + counts.succeeded, 0)).toBe(3);
    const [sources] = await test.pool.query("SELECT DISTINCT source FROM t_retry_metric ORDER BY source");
    expect(sources).toEqual([{ source: "15m" }, { source: "2h" }, { source: "5m" }, { source: "w-1" }]);
  });

  it("keeps a type whose name is hostile to SQL", async () => {
    const name = `'; DROP TABLE x -- \\ é订单`;
    await count(ago(0), "w-1", { failed: 1 }, name);
    const rollup = newRollup();
    while ((await rollup.runOnce([name])) === BUCKETS_PER_RUN);
    const seen = await Promise.all([ago(0), new Date()].map((at) => rolled("5m", at, [name])));
    expect(seen.flat()[0]).toMatchObject({ eventType: name, counts: { failed: 1 } });
    await test.database.use((session) => session.rows(sql`SELECT 1 FROM t_retry_metric`));
  });
});
