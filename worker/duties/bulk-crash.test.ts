import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { bulkOf, insertFailed, runBulk, storeBulk } from "../testing/bulk-scene.ts";
import { killBulkAt } from "../testing/kill-bulk-at.ts";
import { waitFor } from "../testing/wait-for.ts";
import { BULK_STEPS } from "./bulk-batch.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const rows = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  (await test.pool.query(text, [...values]))[0] as Row[];

/** What is stored of an action, counted from each of the places that must agree. */
async function countsOf(bulkId: string, eventType: string) {
  const [items] = await rows<{ n: number }>(
    "SELECT COUNT(*) AS n FROM t_retry_bulk_item WHERE bulk_id = ? AND result = 'done'",
    [bulkId],
  );
  const [pending] = await rows<{ n: number }>(
    "SELECT COUNT(*) AS n FROM t_retry_task WHERE event_type = ? AND status = 0 AND retry_count = 0 AND owner IS NULL",
    [eventType],
  );
  const [entries] = await rows<{ n: number; tasks: number }>(
    "SELECT COUNT(*) AS n, COUNT(DISTINCT task_id) AS tasks FROM t_retry_attempt WHERE event_type = ? AND kind = 'reset'",
    [eventType],
  );
  const { doneCount } = await bulkOf(test, bulkId);
  return [doneCount, items?.n, pending?.n, entries?.n, entries?.tasks].map(Number);
}

describe("CONSOLE 9, C3: a worker that is killed in the middle of a bulk reset", () => {
  it.each(BULK_STEPS)(
    "at the step %s leaves whole batches, and another goes on without doing one twice",
    async (step) => {
      const eventType = `T-${step}`;
      await insertFailed(test, { eventType, count: 650 });
      const id = await storeBulk(test, { filter: { eventTypes: [eventType] } });
      await killBulkAt(test, step);

      const done = step === "committed" ? 400 : 200;
      await waitFor("the server to end the dead transaction", async () => {
        const counts = await countsOf(id, eventType);
        return counts.every((count) => count === done);
      });
      expect(await bulkOf(test, id)).toMatchObject({ state: "running", owner: "child" });
      // Its last sign of life is too old from now on.
      await test.pool.query(
        "UPDATE t_retry_bulk SET beat_time = TIMESTAMPADD(SECOND, -16, beat_time) WHERE id = ? AND owner = 'child'",
        [id],
      );
      expect(await runBulk(test, id)).toMatchObject({ state: "finished", doneCount: 650, skippedCount: 0 });
      expect(await countsOf(id, eventType)).toEqual([650, 650, 650, 650, 650]);
    },
  );
});
