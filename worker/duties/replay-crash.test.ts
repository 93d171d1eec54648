import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { bulkOf, runBulk } from "../testing/bulk-scene.ts";
import { archiveMany, storeReplay } from "../testing/replay-scene.ts";
import { killBulkAt } from "../testing/kill-bulk-at.ts";
import { waitFor } from "../testing/wait-for.ts";
import { BULK_STEPS } from "./bulk-batch.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const count = async (text: string, value: string): Promise<number> => {
  const [rows] = await test.pool.query(`SELECT COUNT(*) AS n FROM ${text}`, [value]);
  return Number((rows as { n: number }[])[0]?.n);
};

/** What is stored of a replay, counted from each of the places that must agree. */
async function countsOf(bulkId: string, eventType: string): Promise<number[]> {
  return [
    (await bulkOf(test, bulkId)).doneCount,
    await count("t_retry_bulk_replay WHERE bulk_id = ? AND result = 'done'", bulkId),
    await count("t_retry_bulk_item WHERE bulk_id = ? AND result = 'done'", bulkId),
    await count("t_retry_task WHERE event_type = ? AND parent_id IS NOT NULL", eventType),
    await count("(SELECT DISTINCT parent_id FROM t_retry_task WHERE event_type = ?) AS parents", eventType),
    (await count("t_retry_attempt WHERE event_type = ? AND kind = 'replayed'", eventType)) / 2,
  ];
}

/** Steps after which something is there to be lost or made twice; the transaction is the same at the others. */
const STEPS = BULK_STEPS.filter((step) => ["changed", "noted", "saved", "committed"].includes(step));

describe("CONSOLE 9: a worker that is killed in the middle of a bulk replay", () => {
  it.each(STEPS.map((step, n) => [step, n] as const))(
    "at the step %s leaves whole batches, and another goes on without replaying one twice",
    async (step, n) => {
      const eventType = `T-${step}`;
      await archiveMany(test, { eventType, count: 450, firstId: 1_000_000 + n * 1_000 });
      const id = await storeReplay(test, [eventType]);
      await killBulkAt(test, step);

      const done = step === "committed" ? 400 : 200;
      await waitFor("the server to end the dead transaction", async () => {
        const counts = await countsOf(id, eventType);
        return counts.every((one) => one === done);
      });
      expect(await bulkOf(test, id)).toMatchObject({ state: "running", owner: "child" });
      // Its last sign of life is too old from now on; a lost position costs work, not correctness.
      await test.pool.query(
        "UPDATE t_retry_bulk SET beat_time = TIMESTAMPADD(SECOND, -16, beat_time), cursor_text = NULL WHERE id = ? AND owner = 'child'",
        [id],
      );
      expect(await runBulk(test, id)).toMatchObject({ state: "finished", doneCount: 450, skippedCount: 0 });
      expect(await countsOf(id, eventType)).toEqual([450, 450, 450, 450, 450, 450]);
    },
  );
});
