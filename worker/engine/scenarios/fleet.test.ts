import type { RowDataPacket } from "mysql2/promise";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren } from "../../testing/child-engine.ts";
import { createServiceTables, taskFacts, whenAll } from "../../testing/task-facts.ts";

/** REDRIVE_FLEET_TASKS makes it smaller for a slow machine. */
const TASKS = Number(process.env["REDRIVE_FLEET_TASKS"] ?? 20_000);
const TASKS_EACH = 4;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await createServiceTables(test);
});
afterAll(() => test.drop());
afterEach(endChildren);

describe("fleet", () => {
  it(
    `fleet: a service and two workers run ${TASKS} tasks once each, and no business transaction meets a lock`,
    { timeout: 240_000 },
    async () => {
      const quiet = ["enqueued", "claimed", "started", "succeeded", "rejected", "released"];
      // The service has few slots: what does not fit there is left to the pollers of all three.
      const type = { eventType: "FLEET", pollIntervalMs: 200, steps: [{ do: "sleep" as const, ms: 2 }] };
      const base = { url: test.url, quiet };
      const [service, ...workers] = await Promise.all([
        ChildEngine.start({ ...base, serviceConnections: 8, types: [{ ...type, concurrency: 2, queueSize: 0 }] }),
        ChildEngine.start({ ...base, types: [{ ...type, concurrency: 16 }] }),
        ChildEngine.start({ ...base, types: [{ ...type, concurrency: 16 }] }),
      ]);
      const load = { prefix: "fleet", eventTypes: ["FLEET"], tasksEach: TASKS_EACH, atOnce: 8 };
      const result = await service.load({ ...load, transactions: TASKS / TASKS_EACH }, 200_000);
      expect(result).toMatchObject({ errors: {}, committed: TASKS / TASKS_EACH, tasks: TASKS });
      await whenAll(test, ["succeeded"], { timeoutMs: 60_000 });

      const fleet = [service, ...workers];
      const calls = fleet.flatMap((child) => child.calls("start"));
      expect(new Set(calls.map((call) => call.id)).size).toBe(TASKS);
      expect(calls).toHaveLength(TASKS);
      for (const child of fleet) {
        expect(child.calls("start").length).toBeGreaterThan(0);
        for (const name of ["recycled", "stale", "rescheduled", "failed", "loopError", "outage"]) {
          expect(child.events(name)).toEqual([]);
        }
        expect(child.stderr.join("")).toBe("");
      }
      const facts = await taskFacts(test);
      expect(facts).toHaveLength(TASKS);
      expect(facts.filter((fact) => fact.retryCount !== 0 || fact.recycleCount !== 0)).toEqual([]);
      const [business] = await test.pool.query<RowDataPacket[]>("SELECT COUNT(*) AS n FROM business");
      expect(business[0]).toMatchObject({ n: TASKS / TASKS_EACH });
    },
  );
});
