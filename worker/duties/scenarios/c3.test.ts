import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { BusinessConnection, type LockOutcome } from "../../../db/testing/locks.ts";
import { bulkOf, bulkRunner, insertFailed, storeBulk } from "../../testing/bulk-scene.ts";
import { waitFor } from "../../testing/wait-for.ts";

/** The scenario speaks of 100,000 rows: REDRIVE_TEST_BULK_ROWS=100000. */
const ROWS = Math.ceil(Number(process.env["REDRIVE_TEST_BULK_ROWS"] ?? 12_000) / 3) * 3;
const TYPES = ["PAY", "SHIP", "MAIL"];
const CHANGED = 300;

describe("C3: reset of very many failed tasks", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase({ connectionLimit: 10 });
    for (const eventType of TYPES) await insertFailed(test, { eventType, count: ROWS / 3 });
  }, 300_000);
  afterAll(() => test.drop());

  const count = async (text: string, values: readonly unknown[] = []): Promise<number> => {
    const [rows] = await test.pool.query(`SELECT COUNT(*) AS n FROM ${text}`, [...values]);
    return Number((rows as { n: number }[])[0]?.n);
  };

  it("resets every task that nobody else changed, once, under load, pressed twice, with a restart in the middle", async () => {
    const [rows] = await test.pool.query("SELECT id FROM t_retry_task ORDER BY id DESC LIMIT ?", [CHANGED]);
    const byOthers = (rows as { id: number }[]).map(({ id }) => id);
    const first = await storeBulk(test, { filter: { eventTypes: TYPES }, estimate: ROWS });
    const second = await storeBulk(test, { filter: { eventTypes: TYPES }, estimate: ROWS });

    const business = await BusinessConnection.open(test);
    const outcomes = new Set<LockOutcome>();
    let isOver = false;
    let created = 0;
    const load = (async () => {
      while (!isOver) {
        const bizKey = `new-${created++}`;
        outcomes.add(await business.insert({ eventType: TYPES[created % 3] ?? "", bizKey, dueAt: new Date() }));
      }
    })();
    const before = process.memoryUsage().heapUsed;
    let runner = bulkRunner(test, { owner: "before" });
    runner.start();
    await test.pool.query("UPDATE t_retry_task SET status = 4 WHERE id IN (?)", [byOthers]);
    const reportsOf = () => Promise.all([first, second].map((id) => bulkOf(test, id)));
    const doneByBoth = async () => (await reportsOf()).reduce((sum, { doneCount }) => sum + doneCount, 0);
    await waitFor("a tenth to be done", async () => (await doneByBoth()) > ROWS / 10, 120_000);
    await runner.stop();
    expect(await doneByBoth()).toBeLessThan(ROWS - CHANGED);
    expect((await reportsOf()).map(({ owner }) => owner)).toEqual([undefined, undefined]);
    runner = bulkRunner(test, { owner: "after" });
    runner.start();
    for (const id of [first, second]) {
      await waitFor("both to end", async () => (await bulkOf(test, id)).state === "finished", 280_000);
    }
    await runner.stop();
    isOver = true;
    await load;
    await business.close();

    expect([...outcomes], "a business insert that waited for a lock would have failed").toEqual(["done"]);
    expect(await doneByBoth()).toBe(ROWS - CHANGED);
    expect(await count("t_retry_task WHERE id IN (?) AND status = 4", [byOthers])).toBe(CHANGED);
    expect(
      await count(
        `t_retry_task WHERE status = 0 AND retry_count = 0 AND owner IS NULL AND biz_key LIKE 'k-%'
          AND next_retry_time <= TIMESTAMPADD(MINUTE, ${test.zone.offsetMinutes}, UTC_TIMESTAMP(3))`,
      ),
    ).toBe(ROWS - CHANGED);
    expect(await count("t_retry_task WHERE status = 2")).toBe(0);
    expect(await count("t_retry_attempt WHERE kind = 'reset'")).toBe(ROWS - CHANGED);
    expect(await count("(SELECT DISTINCT task_id FROM t_retry_attempt WHERE kind = 'reset') AS tasks")).toBe(
      ROWS - CHANGED,
    );
    expect(await count("t_retry_bulk_item WHERE result = 'done'")).toBe(ROWS - CHANGED);
    expect(process.memoryUsage().heapUsed - before, "bytes kept, whatever the number of rows").toBeLessThan(
      128 * 1_048_576,
    );
  }, 600_000);
});
