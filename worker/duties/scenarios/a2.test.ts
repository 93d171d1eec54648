import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listArchiveByBizKey } from "../../../db/queries/list-archive.ts";
import { showArchivedTask } from "../../../db/queries/show-archived-task.ts";
import { archiveAll, insertEnded, placesOf } from "../../testing/archive-scene.ts";
import { CallLog, Scenario } from "../../testing/scenario.ts";

const scenario = new Scenario();

describe("A2: a biz key that comes back after archiving", () => {
  beforeAll(async () => {
    await scenario.rows(`CREATE TRIGGER impossible BEFORE INSERT ON t_retry_task_archive FOR EACH ROW
      IF NEW.biz_key = 'impossible-0' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'made impossible by hand'; END IF`);
  });
  afterAll(async () => void (await scenario.rows("DROP TRIGGER impossible")));

  it("keeps all three tasks of the key, moves the 499 others, and leaves the impossible one live in every run", async () => {
    const test = scenario.database;
    const calls = new CallLog();
    const started = await scenario.start([calls.handler({ eventType: "X" })]);
    await insertEnded(test, { eventType: "X", count: 1, prefix: "impossible" });
    const ids: string[] = [];
    for (let round = 1; round <= 3; round++) {
      const { id, inserted } = await started.enqueue({ eventType: "X", bizKey: "k1", bizContext: { round } });
      expect(inserted).toBe(true);
      ids.push(id);
      await started.rowWhere(id, "to have succeeded", ({ status }) => status === "succeeded");
      await scenario.rows(
        "UPDATE t_retry_task SET finished_time = TIMESTAMPADD(DAY, -8, finished_time), next_retry_time = TIMESTAMPADD(DAY, -8, next_retry_time) WHERE id = ?",
        [BigInt(id)],
      );
      if (round === 2) await insertEnded(test, { eventType: "X", count: 499, prefix: "other" });
      const report = await archiveAll(test);
      expect(report.tasks).toBe(round === 2 ? 500 : 1);
      expect(report.stuck).toMatchObject([{ eventType: "X", error: { message: "made impossible by hand" } }]);
      expect([...(await placesOf(test, "task", "X")).live.values()].map((row) => row["biz_key"])).toEqual([
        "impossible-0",
      ]);
    }
    expect(calls.count("k1")).toBe(3);

    const found = await test.database.use((session) => listArchiveByBizKey(session, "k1"));
    expect(found.map(({ id }) => id)).toEqual([...ids].reverse());
    expect(new Set(found.map(({ createdAt }) => createdAt.getTime())).size).toBe(3);
    const payloads = await test.database.use(async (session) => {
      const shown = [];
      for (const id of ids) shown.push((await showArchivedTask(session, id))?.bizContext);
      return shown;
    });
    expect(payloads).toEqual(['{"round":1}', '{"round":2}', '{"round":3}']);
  });
});
