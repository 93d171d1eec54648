import { beforeAll, describe, expect, it } from "vitest";
import { cancelTask } from "../../../db/queries/cancel-task.ts";
import { resetTask } from "../../../db/queries/reset-task.ts";
import type { TaskRow } from "../../../db/testing/task-rows.ts";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import { waitFor } from "../../testing/wait-for.ts";
import { NonRetryableError, Snooze, type Task } from "../index.ts";

const scenario = new Scenario();
const FIRST = 9_007_199_254_740_993n;
const PAYLOAD = '{"orderId":1970670598291982290}';

beforeAll(async () => {
  await scenario.database.pool.query(`ALTER TABLE t_retry_task AUTO_INCREMENT = ${FIRST}`);
});

/** Rows whose ids are one lower and one higher; nobody may touch them. */
async function neighboursOf(id: string): Promise<() => Promise<void>> {
  const ids = [String(BigInt(id) - 1n), String(BigInt(id) + 1n)];
  const missing: string[] = [];
  for (const one of ids) if (!(await scenario.row(one))) missing.push(one);
  await scenario.insert(...missing.map((one) => ({ id: one, eventType: "NEIGHBOUR", status: "failed" as const })));
  const before: (TaskRow | undefined)[] = await Promise.all(missing.map((one) => scenario.row(one)));
  return async () => {
    expect(await Promise.all(missing.map((one) => scenario.row(one)))).toEqual(before);
    expect(missing.length).toBeGreaterThan(0);
  };
}

describe("P2: numbers above 2^53", () => {
  it("ids: an eager run has every digit in verdict, handler, events and row, and its neighbours are left alone", async () => {
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "EAGER" })]);
    const { id } = await started.enqueue({ eventType: "EAGER", bizKey: "k", bizContextText: PAYLOAD });
    expect(BigInt(id)).toBeGreaterThanOrEqual(FIRST);
    expect(Number.isSafeInteger(Number(id))).toBe(false);
    const untouched = await neighboursOf(id);
    const row = await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(row.bizContext).toBe(PAYLOAD);
    expect(log.calls).toMatchObject([{ id, bizContextText: PAYLOAD }]);
    expect(started.of("started")).toMatchObject([{ id, isEager: true }]);
    await waitFor("its event", () => started.of("succeeded").some((event) => event.id === id));
    await untouched();
  });

  it("several enqueues at once in one transaction: each gets its own id", async () => {
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "AT ONCE" })]);
    const keys = ["a", "b", "c", "d"];
    const verdicts = await started.engine.transaction((tx) =>
      Promise.all(keys.map((bizKey) => started.engine.enqueue(tx, { eventType: "AT ONCE", bizKey }))),
    );
    expect(new Set(verdicts.map(({ id }) => id)).size).toBe(4);
    for (const [index, { id }] of verdicts.entries()) {
      expect((await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded")).bizKey).toBe(keys[index]);
    }
    const seen = new Map(log.calls.map((task: Task) => [task.bizKey, task.id]));
    expect(keys.map((key) => seen.get(key))).toEqual(verdicts.map(({ id }) => id));
    expect(started.of("stale")).toEqual([]);
  });

  it("enqueueMany and duplicates answer the right ids", async () => {
    const started = await scenario.start([new CallLog().handler({ eventType: "MANY" })]);
    const list = ["x", "y", "x"].map((bizKey) => ({ eventType: "MANY", bizKey }));
    const verdicts = await started.engine.transaction((tx) => started.engine.enqueueMany(tx, list));
    expect(verdicts[2]?.id).toBe(verdicts[0]?.id);
    for (const [index, { id }] of verdicts.entries())
      expect((await scenario.row(id))?.bizKey).toBe(list[index]?.bizKey);
    const again = await started.enqueue({ eventType: "MANY", bizKey: "y" });
    expect(again).toMatchObject({ id: verdicts[1]?.id, inserted: false });
  });

  it.each([
    ["pending", 10_000n],
    ["failed", 11_000n],
    ["snoozed", 12_000n],
    ["given up", 13_000n],
  ])("a polled run that ends %s touches exactly its row", async (end, offset) => {
    const eventType = `POLLED ${end}`;
    const answers: Readonly<Record<string, () => unknown>> = {
      pending: () => false,
      failed: () => false,
      snoozed: () => new Snooze({ seconds: 60 }),
      "given up": () => Promise.reject(new NonRetryableError("never")),
    };
    const maxRetryCount = end === "failed" ? 1 : 5;
    const id = String(FIRST + offset);
    const untouched = await neighboursOf(id);
    await scenario.insert({ id, eventType, maxRetryCount, bizContext: PAYLOAD });
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({ eventType, pollIntervalMs: 50 }, () => answers[end]?.() as boolean),
    ]);
    const row = await started.rowWhere(id, "has ended", ({ status, claimNo }) => claimNo === 1 && status !== "running");
    expect(row.status).toBe(end === "failed" || end === "given up" ? "failed" : "pending");
    expect(log.calls).toMatchObject([{ id, bizContextText: PAYLOAD }]);
    const history = await scenario.rows<{ id: string }>(
      "SELECT CAST(task_id AS CHAR) AS id FROM t_retry_attempt WHERE event_type = ?",
      [eventType],
    );
    expect(history.map((entry) => entry.id)).toEqual([id]);
    await untouched();
  });

  it("reset and cancel change exactly this row", async () => {
    const [reset, cancelled] = [String(FIRST + 20_001n), String(FIRST + 30_001n)];
    const untouched = [await neighboursOf(reset), await neighboursOf(cancelled)];
    await scenario.insert(
      { id: reset, eventType: "BY HAND", status: "failed", retryCount: 3 },
      { id: cancelled, eventType: "BY HAND", status: "failed", retryCount: 3 },
    );
    const { database } = scenario.database;
    await database.transaction((session) => resetTask(session, { id: reset, actor: "op" }));
    await database.transaction((session) => cancelTask(session, { id: cancelled, actor: "op" }));
    expect(await scenario.row(reset)).toMatchObject({ status: "pending", retryCount: 0 });
    expect(await scenario.row(cancelled)).toMatchObject({ status: "cancelled", retryCount: 3 });
    for (const check of untouched) await check();
  });

  it("payload numbers: the text is exact on the eager and on the polled path; the parsed number is what JSON.parse gives", async () => {
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "NUMBERS", pollIntervalMs: 50 })]);
    const eager = await started.enqueue({ eventType: "NUMBERS", bizKey: "eager", bizContextText: PAYLOAD });
    const [polled = ""] = await scenario.insert({ eventType: "NUMBERS", bizKey: "polled", bizContext: PAYLOAD });
    for (const id of [eager.id, polled]) await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    for (const call of log.calls) {
      expect(call.bizContextText).toBe(PAYLOAD);
      expect(call.bizContext).toEqual(JSON.parse(PAYLOAD));
    }
    expect(log.calls).toHaveLength(2);
  });

  it("a parent above 2^53 keeps its digits, and wake takes such ids as text", async () => {
    const log = new CallLog();
    const parentId = String(FIRST + 2n);
    const started = await scenario.start([log.handler({ eventType: "CHILD", pollIntervalMs: 3_600_000 })], {
      eager: false,
    });
    await waitFor("the first poll to be over", () => started.engine.health().isAlive);
    const { id } = await started.enqueue({ eventType: "CHILD", bizKey: "k", parentId });
    await started.engine.wake([id]);
    await started.rowWhere(id, "succeeds", (row) => row.status === "succeeded" && row.parentId === parentId);
  });
});
