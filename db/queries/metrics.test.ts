import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { stepBefore } from "../testing/locks.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import {
  addMetricCounts,
  METRIC_COUNTERS,
  type MetricCounter,
  type MetricCounts,
  removeOldMetrics,
  storeTypeGauges,
} from "./metrics.ts";

const MINUTE = new Date("2026-10-25T00:30:00.000Z");
const after = (ms: number) => new Date(MINUTE.getTime() + ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => inSession((session) => session.run("DELETE FROM t_retry_metric")));

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const countsOf = (values: Partial<MetricCounts>): MetricCounts => ({
  ...(Object.fromEntries(METRIC_COUNTERS.map((name) => [name, 0])) as Record<MetricCounter, number>),
  ...values,
});
const add = (values: Partial<MetricCounts>, at = MINUTE, source = "me", eventType = "TEST") =>
  inSession((session) => addMetricCounts(session.at(at), { eventType, source, counts: countsOf(values) }));
type StoredMetric = Readonly<Record<string, string | number | Date | null>>;
const stored = () =>
  inSession(async (session) => {
    const rows = await session.rows<Record<string, string | number | null>>(
      sql`SELECT * FROM t_retry_metric ORDER BY minute, event_type, source`,
    );
    return rows.map((row): StoredMetric => ({ ...row, minute: session.zone.parseInstant(String(row["minute"])) }));
  });

describe("addMetricCounts", () => {
  it("adds up the counts of one minute and begins anew with the next", async () => {
    await add({ succeeded: 2, failed: 1 }, after(0));
    await add({ succeeded: 3 }, after(59_999));
    await add({ succeeded: 7 }, after(60_000));
    expect(await stored()).toEqual([
      expect.objectContaining({
        minute: MINUTE,
        event_type: "TEST",
        source: "me",
        succeeded_count: 5,
        failed_count: 1,
      }),
      expect.objectContaining({ minute: after(60_000), succeeded_count: 7, failed_count: 0 }),
    ]);
  });

  it("says when a new minute has begun, whose histogram holds the fresh runs only", async () => {
    const addRuns = (at: Date, latency: { minute: number[]; fresh: number[] }) =>
      inSession((session) =>
        addMetricCounts(session.at(at), { eventType: "TEST", source: "me", counts: countsOf({}), latency }),
      );
    expect(await addRuns(after(0), { minute: [9, 9], fresh: [1, 0] })).toBe(true);
    expect(await addRuns(after(59_999), { minute: [1, 2], fresh: [0, 2] })).toBe(false);
    expect(await addRuns(after(60_000), { minute: [1, 5], fresh: [0, 3] })).toBe(true);
    expect((await stored()).map((row) => row["latency_histogram"])).toEqual(["[1,2]", "[0,3]"]);
  });

  it("stores each counter in its own column", async () => {
    const counts = Object.fromEntries(METRIC_COUNTERS.map((name, n) => [name, n + 1])) as MetricCounts;
    await add(counts);
    await add(counts);
    const expected = Object.fromEntries(METRIC_COUNTERS.map((name, n) => [`${name}_count`, 2 * (n + 1)]));
    expect(await stored()).toEqual([expect.objectContaining(expected)]);
  });

  it("keeps sources and types apart", async () => {
    await add({ retried: 1 }, MINUTE, "me");
    await add({ retried: 2 }, MINUTE, "ME");
    await add({ retried: 4 }, MINUTE, "me", "test");
    expect((await stored()).map((row) => [row["event_type"], row["source"], row["retried_count"]])).toEqual([
      ["TEST", "ME", 2],
      ["TEST", "me", 1],
      ["test", "me", 4],
    ]);
  });

  it("loses nothing when the minute's row is made by another statement at the same moment", async () => {
    const session = stepBefore(test, /^INSERT/, () => add({ stale: 3 }));
    await addMetricCounts(session.at(MINUTE), { eventType: "TEST", source: "me", counts: countsOf({ stale: 4 }) });
    expect(await stored()).toEqual([expect.objectContaining({ stale_count: 7 })]);
  });
});

describe("storeTypeGauges", () => {
  const gauges = { pending: 5, due: 4, running: 2, failed: 1, oldestDueAgeMs: 90_000_000_000 };

  it("keeps the last sample of a minute", async () => {
    const store = (pending: number, at: Date) =>
      inSession((session) => storeTypeGauges(session.at(at), "TEST", { ...gauges, pending }));
    await store(1, after(0));
    await store(5, after(59_999));
    await store(9, after(60_000));
    expect(await stored()).toEqual([
      expect.objectContaining({ minute: MINUTE, source: "cluster", pending: 5, due: 4, running: 2, failed: 1 }),
      expect.objectContaining({ minute: after(60_000), pending: 9 }),
    ]);
    expect(Number((await stored())[0]?.["oldest_due_age_ms"])).toBe(90_000_000_000);
  });

  it("leaves the row of a leader that was faster", async () => {
    const session = stepBefore(test, /^INSERT/, () =>
      inSession((other) => storeTypeGauges(other.at(MINUTE), "TEST", gauges)),
    );
    await storeTypeGauges(session.at(MINUTE), "TEST", { ...gauges, pending: 99 });
    expect(await stored()).toEqual([expect.objectContaining({ pending: 5 })]);
  });
});

describe("removeOldMetrics", () => {
  const remove = (olderThanMs: number) =>
    inSession((session) => removeOldMetrics(session.at(after(3_600_000)), olderThanMs));

  it("removes minutes that are older than the limit and keeps one exactly at it", async () => {
    await add({ enqueued: 1 }, after(-60_000));
    await add({ enqueued: 2 }, after(0));
    expect(await remove(3_600_000)).toBe(1);
    expect(await stored()).toEqual([expect.objectContaining({ enqueued_count: 2 })]);
  });

  it("removes at most 500 rows at a time, oldest first", async () => {
    const rows = Array.from(
      { length: 501 },
      (_, n) => `('${test.zone.format(after(-n * 60_000))}', 'TEST', 'me', ${n})`,
    );
    await test.pool.query(
      `INSERT INTO t_retry_metric (minute, event_type, source, enqueued_count) VALUES ${rows.join(",")}`,
    );
    expect(await remove(0)).toBe(500);
    expect(await stored()).toEqual([expect.objectContaining({ minute: MINUTE, enqueued_count: 0 })]);
    expect(await remove(0)).toBe(1);
  });
});
