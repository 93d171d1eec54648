import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { systemClock } from "./clock.ts";
import { EngineEvents } from "./events.ts";
import { MetricsRecorder } from "./metrics-recorder.ts";

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

interface MetricRow {
  readonly succeeded_count: number;
  readonly retried_count: number;
  readonly latency_histogram: string;
}

const rows = () =>
  test.database.use((session) =>
    session.rows<MetricRow>(
      sql`SELECT succeeded_count, retried_count, latency_histogram FROM t_retry_metric WHERE source = 'me' ORDER BY minute`,
    ),
  );

function totals(found: readonly MetricRow[]) {
  const histograms = found.map((row) => JSON.parse(row.latency_histogram) as number[]);
  return {
    succeeded: found.reduce((sum, row) => sum + row.succeeded_count, 0),
    retried: found.reduce((sum, row) => sum + row.retried_count, 0),
    fast: histograms.reduce((sum, one) => sum + (one[0] ?? 0), 0),
    slowest: histograms.reduce((sum, one) => sum + (one.at(-1) ?? 0), 0),
  };
}

it("adds counts and run times over several writes, and loses none when a write fails", async () => {
  const events = new EngineEvents();
  const recorder = new MetricsRecorder(test.database, "me", systemClock, events);
  const key = { eventType: "A", id: "1", claimNo: 1 };
  const succeed = (durationMs: number) => events.emit("succeeded", { ...key, durationMs, isSkipped: false });
  succeed(0.4);
  succeed(90_000);
  events.emit("rescheduled", { ...key, retryCount: 1, delayMs: 1_000, error: "x" });
  await recorder.flush();
  succeed(0.5);
  await recorder.flush();

  await test.database.use((session) => session.run("RENAME TABLE t_retry_metric TO t_retry_metric_away"));
  succeed(0.6);
  await expect(recorder.flush()).rejects.toThrow();
  await test.database.use((session) => session.run("RENAME TABLE t_retry_metric_away TO t_retry_metric"));
  await recorder.flush();

  expect(totals(await rows())).toEqual({ succeeded: 4, retried: 1, fast: 3, slowest: 1 });
});
