import { Registry, type OpenMetricsContentType } from "prom-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readSampledGauges, storeTypeGauges } from "../../db/queries/metrics.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import type { MetricsRegistry } from "./engine-metrics.ts";
import { registerFleetGauges } from "./fleet-gauges.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it("shows the newest sample of every type, and nothing while the database cannot be read", async () => {
  await test.database.use(async (session) => {
    const sample = { pending: 3, due: 1, running: 2, failed: 1, oldestDueAgeMs: 1_500 };
    const before = session.at(new Date(Date.now() - 120_000));
    await storeTypeGauges(before, "PAY", { ...sample, failed: 9 });
    await storeTypeGauges(session, "PAY", sample);
  });
  const registry: MetricsRegistry = new Registry<OpenMetricsContentType>();
  registerFleetGauges(registry, () => test.database.use((session) => readSampledGauges(session)));
  const text = await registry.metrics();
  expect(text).toContain('redrive_table_tasks_pending{event_type="PAY"} 3');
  expect(text).toContain('redrive_table_tasks_running{event_type="PAY"} 2');
  expect(text).toContain('redrive_table_tasks_failed{event_type="PAY"} 1');
  expect(text).toContain('redrive_table_oldest_due_age_seconds{event_type="PAY"} 1.5');

  const away: MetricsRegistry = new Registry<OpenMetricsContentType>();
  registerFleetGauges(away, () => Promise.reject(new Error("away")));
  expect(await away.metrics()).not.toContain("event_type=");
});
