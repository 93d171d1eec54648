import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { systemClock } from "../engine/clock.ts";
import { EngineEvents } from "../engine/events.ts";
import { GaugeSampler } from "./gauge-sampler.ts";

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const sampler = (owner: string) => new GaugeSampler(test.database, owner, systemClock, new EngineEvents());

async function gauges() {
  return test.database.use((session) =>
    session.rows<{
      event_type: string;
      pending: number;
      due: number;
      running: number;
      failed: number;
      oldest_due_age_ms: string;
    }>(
      sql`SELECT event_type, pending, due, running, failed, oldest_due_age_ms FROM t_retry_metric WHERE source = 'cluster'`,
    ),
  );
}

it("samples every type that has tasks, the due apart from those scheduled for later, and only the holder of the lease does", async () => {
  await test.database.use(async (session) => {
    await insertTaskRow(session, { eventType: "A", dueInMs: -60_000 });
    await insertTaskRow(session, { eventType: "A", dueInMs: 60_000 });
    await insertTaskRow(session, { eventType: "A", status: "failed" });
  });
  const holder = sampler("owner-1");
  await holder.runOnce();
  const [row] = await gauges();
  expect(row).toMatchObject({ event_type: "A", pending: 2, due: 1, running: 0, failed: 1 });
  expect(Number(row?.oldest_due_age_ms)).toBeGreaterThanOrEqual(60_000);

  await test.database.use((session) => session.change(sql`DELETE FROM t_retry_metric`));
  const other = sampler("owner-2");
  await other.runOnce();
  expect(await gauges()).toEqual([]);

  await holder.stop();
  await other.runOnce();
  expect(await gauges()).toHaveLength(1);
});
