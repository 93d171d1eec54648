import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimTasksById } from "../../db/queries/claim-tasks.ts";
import { listBulksInStates, readBulkBounds } from "../../db/queries/bulk-operations.ts";
import { countBulkOutcome, countSkips } from "../../db/queries/bulk-outcome.ts";
import { summarizeMatches } from "../../db/queries/bulk-summary.ts";
import {
  abortBulk,
  beatBulk,
  pauseBulk,
  resumeBulk,
  setBulkPace,
  startBulk,
} from "../../db/queries/bulk-transitions.ts";
import { failTask } from "../../db/queries/end-attempt.ts";
import { resetTask } from "../../db/queries/reset-task.ts";
import { searchTasks } from "../../db/queries/search-tasks.ts";
import { orderOf } from "../../db/queries/task-order.ts";
import { registerWorker, stopWorker } from "../../db/queries/workers.ts";
import { countStates } from "../../db/testing/count-states.ts";
import { BusinessConnection, holdOpen, lockedTaskIds } from "../../db/testing/locks.ts";
import { insertTaskRow, readTaskRow, type TaskRow, type TaskRowValues } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { bulkOf, bulkRunner, insertFailed, runBulk, storeBulk } from "../testing/bulk-scene.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { Gate, waitFor } from "../testing/wait-for.ts";
import { applyBulkBatch } from "./bulk-batch.ts";
import { BulkRun } from "./bulk-run.ts";
import { BULK_RUNNING_MAX } from "./bulk-runner.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase({ connectionLimit: 12 });
});
afterAll(() => test.drop());

const newType = () => `T-${randomBytes(4).toString("hex")}`;
const ENDED = new Date("2026-11-01T00:00:00.000Z");
const insert = (values: TaskRowValues) =>
  test.database.use((session) =>
    insertTaskRow(session, {
      status: "failed",
      retryCount: 3,
      finishedTime: ENDED,
      finishReason: "exhausted",
      ...values,
    }),
  );
const read = async (id: string): Promise<TaskRow> => {
  const row = await test.database.use((session) => readTaskRow(session, id));
  if (!row) throw new Error(`no task ${id}`);
  return row;
};
const rows = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  (await test.pool.query(text, [...values]))[0] as Row[];
const itemsOf = (bulkId: string) =>
  rows<{ id: string; result: string; detail: string | null }>(
    "SELECT CAST(task_id AS CHAR) AS id, result, detail FROM t_retry_bulk_item WHERE bulk_id = ? ORDER BY task_id",
    [bulkId],
  );
const auditOf = async (bulkId: string) =>
  (
    await rows<{ action: string }>("SELECT action FROM t_retry_audit WHERE correlation = ? ORDER BY id", [
      `bulk-${bulkId}`,
    ])
  ).map(({ action }) => action);

/** An action in this process's hands, to be carried on step by step. */
async function takenRun(
  id: string,
  clock = new ManualClock(),
  state: "running" | "canary" = "running",
): Promise<BulkRun> {
  expect(await test.database.use((session) => startBulk(session, { id, owner: "me", state }))).toBe(1);
  return new BulkRun({ database: test.database, clock, id, owner: "me" });
}

describe("a bulk reset", () => {
  it("changes what its filter means and leaves every neighbour as it was", async () => {
    const [eventType, other] = [newType(), newType()];
    const meant = await insert({ eventType, errorFingerprint: "f1", retryCount: 5, claimNo: 4, recycleCount: 2 });
    const others = [
      await insert({ eventType, errorFingerprint: "f2" }),
      await insert({ eventType, errorFingerprint: null }),
      await insert({ eventType: other, errorFingerprint: "f1" }),
      await insert({ eventType, errorFingerprint: "f1", status: "running", owner: "w", claimNo: 1 }),
      await insert({ eventType, errorFingerprint: "f1", status: "pending", finishedTime: null, dueInMs: 3_600_000 }),
      await insert({ eventType, errorFingerprint: "f1", status: "succeeded" }),
    ];
    const before = await Promise.all(others.map(read));
    const id = await storeBulk(test, { filter: { eventTypes: [eventType], cause: "f1" } });
    expect(await runBulk(test, id)).toMatchObject({ state: "finished", doneCount: 1, skippedCount: 0 });
    expect(await read(meant)).toMatchObject({
      status: "pending",
      retryCount: 0,
      recycleCount: 0,
      claimNo: 4,
      owner: null,
      finishReason: null,
      finishedTime: null,
    });
    expect(await Promise.all(others.map(read))).toEqual(before);
    expect(
      await rows("SELECT kind, actor, detail, retry_count FROM t_retry_attempt WHERE task_id = ?", [meant]),
    ).toEqual([{ kind: "reset", actor: "ada", detail: `bulk ${id}: INC-7`, retry_count: 5 }]);
    expect(await auditOf(id)).toEqual(["bulk.finish"]);
  });

  it("C1: takes of the state stuck what the list and its count show there, and nothing else", async () => {
    const eventType = newType();
    await test.database.use(async (session) => {
      for (const [owner, isStopped] of [
        ["stopped", true],
        ["alive", false],
      ] as const) {
        await registerWorker(session, {
          ...{ owner: `${owner}-${eventType}`, host: "h", ip: "10.0.0.1", pid: 1, version: "1" },
          ...{ deadAfterMs: 600_000, eventTypes: [] },
        });
        if (isStopped) await stopWorker(session, `${owner}-${eventType}`);
      }
    });
    const running = { eventType, status: "running", claimNo: 2, finishedTime: null } as const;
    const stuck = [
      await insert({ ...running, owner: `stopped-${eventType}` }),
      await insert({ ...running, owner: "nobody-knows", updateTime: new Date(0) }),
      await insert({ ...running, owner: null, updateTime: new Date(0) }),
    ];
    const others = [
      await insert({ ...running, owner: `alive-${eventType}` }),
      await insert({ ...running, owner: "nobody-knows-either" }),
      await insert({ eventType }),
    ];
    const filter = { state: "stuck", eventTypes: [eventType] } as const;
    const before = await Promise.all(others.map(read));
    const shown = await test.database.use(async (session) => ({
      rows: (await searchTasks(session, { filter, order: orderOf(filter), limit: 50 })).items.map((item) => item.id),
      count: (await countStates(session, filter))[filter.state]?.count,
      dryRun: (await summarizeMatches(session, { action: "reset", filter, bounds: await readBulkBounds(session) }))
        .count,
    }));
    expect({ ...shown, rows: shown.rows.sort() }).toEqual({ rows: [...stuck].sort(), count: 3, dryRun: 3 });
    const id = await storeBulk(test, { filter });
    expect(await runBulk(test, id)).toMatchObject({ state: "finished", doneCount: 3, skippedCount: 0 });
    for (const one of stuck) expect(await read(one)).toMatchObject({ status: "pending", owner: null, claimNo: 2 });
    expect(await Promise.all(others.map(read))).toEqual(before);
    // The worker that was only slow is refused.
    const claim = { id: stuck[0] ?? "", claimNo: 2 };
    expect(
      await test.database.use((session) =>
        failTask(session, `stopped-${eventType}`, {
          ...{ ...claim, reason: "exhausted", counted: true, error: { text: "late", fingerprint: "f" } },
        }),
      ),
    ).toBe(0);
  });

  it("takes tasks without a fingerprint as the cause none", async () => {
    const eventType = newType();
    const without = await insert({ eventType, errorFingerprint: null });
    const withOne = await insert({ eventType, errorFingerprint: "f1" });
    await runBulk(test, await storeBulk(test, { filter: { eventTypes: [eventType], cause: "none" } }));
    expect([(await read(without)).status, (await read(withOne)).status]).toEqual(["pending", "failed"]);
  });

  it("is not about tasks that came, or failed, after it was made", async () => {
    const eventType = newType();
    const meant = await insert({ eventType });
    const failsLater = await insert({ eventType, status: "running", owner: "w", claimNo: 1, finishedTime: null });
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] } });
    const after = new Date(Date.now() + 60_000);
    await insert({ eventType, finishedTime: after });
    await test.pool.query("UPDATE t_retry_task SET status = 2, finished_time = ? WHERE id = ?", [
      test.zone.format(after),
      failsLater,
    ]);
    expect(await runBulk(test, id)).toMatchObject({ doneCount: 1, skippedCount: 0 });
    expect((await itemsOf(id)).map((item) => item.id)).toEqual([meant]);
  });

  it("spreads the due times over its jitter, the same way each time it is asked", async () => {
    const eventType = newType();
    await insertFailed(test, { eventType, count: 300 });
    await runBulk(test, await storeBulk(test, { filter: { eventTypes: [eventType] }, jitterMs: 60_000 }));
    const [spread] = await rows<{ early: number; late: number; n: number; latest: number }>(
      `SELECT COUNT(*) AS n, SUM(next_retry_time < TIMESTAMPADD(SECOND, 30, update_time)) AS early, SUM(next_retry_time >= TIMESTAMPADD(SECOND, 30, update_time)) AS late,
        MAX(TIMESTAMPDIFF(MICROSECOND, update_time, next_retry_time)) AS latest FROM t_retry_task WHERE event_type = ?`,
      [eventType],
    );
    expect(Number(spread?.n)).toBe(300);
    expect(Number(spread?.early)).toBeGreaterThan(90);
    expect(Number(spread?.late)).toBeGreaterThan(90);
    expect(Number(spread?.latest)).toBeLessThanOrEqual(60_000_000);
  });

  it("tells of each given task what became of it", async () => {
    const eventType = newType();
    const ids = [
      await insert({ eventType }),
      await insert({ eventType, status: "running", owner: "w", claimNo: 1 }),
      await insert({ eventType, status: "succeeded" }),
      await insert({ eventType, status: "pending", dueInMs: 1_000 }),
      await insert({ eventType, finishedTime: new Date(Date.now() + 60_000) }),
      "4611686018427387001",
    ];
    const id = await storeBulk(test, {
      filter: { eventTypes: [eventType], ids },
      bounds: { maxId: "9223372036854775807", boundTime: test.zone.format(new Date()) },
    });
    expect(await runBulk(test, id)).toMatchObject({ doneCount: 1, skippedCount: 5 });
    expect((await itemsOf(id)).map(({ result, detail }) => detail ?? result)).toEqual([
      "done",
      "running",
      "succeeded",
      "pending",
      "changed",
      "gone",
    ]);
    expect(await test.database.use((session) => countSkips(session, id))).toHaveLength(5);
  });

  it("waits for no row: one that somebody holds is tried again, then left alone and told of", async () => {
    const eventType = newType();
    const held = await insert({ eventType });
    const free = await insert({ eventType });
    const holder = await holdOpen(test.database, (session) => resetTask(session, { id: held, actor: "bob" }));
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] } });
    const finished = await runBulk(test, id);
    await holder.rollback();
    expect(finished).toMatchObject({ state: "finished", doneCount: 1, skippedCount: 1 });
    expect(await itemsOf(id)).toEqual([
      { id: held, result: "skipped", detail: "locked" },
      { id: free, result: "done", detail: null },
    ]);
  });

  it("changes a task that was held for a moment only", async () => {
    const eventType = newType();
    const held = await insert({ eventType });
    const holder = await holdOpen(test.database, (session) => resetTask(session, { id: held, actor: "bob" }));
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] } });
    const run = await takenRun(id);
    await run.step();
    expect(await run.step()).toMatchObject({ next: "wait" });
    await holder.rollback();
    await run.step();
    expect(await bulkOf(test, id)).toMatchObject({ doneCount: 1, skippedCount: 0 });
  });
});

describe("a bulk cancel", () => {
  it("ends pending and failed tasks, and no running one", async () => {
    const eventType = newType();
    const [pending, running] = [
      await insert({ eventType, status: "pending", finishedTime: null, dueInMs: 3_600_000 }),
      await insert({ eventType, status: "running", owner: "w", claimNo: 1, finishedTime: null }),
    ];
    const id = await storeBulk(test, { action: "cancel", filter: { state: "scheduled", eventTypes: [eventType] } });
    expect(await runBulk(test, id)).toMatchObject({ doneCount: 1 });
    expect(await read(pending)).toMatchObject({ status: "cancelled", finishReason: "cancelled" });
    expect(await read(running)).toMatchObject({ status: "running" });
    const failed = await insert({ eventType });
    await runBulk(test, await storeBulk(test, { action: "cancel", filter: { eventTypes: [eventType] } }));
    expect(await read(failed)).toMatchObject({ status: "cancelled" });
  });
});

describe("the pace", () => {
  it("is kept within 10 % and follows a change at once, by the clock", async () => {
    const eventType = newType();
    await insertFailed(test, { eventType, count: 1_500 });
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] }, ratePerSecond: 50 });
    const clock = new ManualClock();
    const run = await takenRun(id, clock);
    const forSeconds = async (seconds: number) => {
      const before = (await bulkOf(test, id)).doneCount;
      const untilMs = clock.monotonicMs() + seconds * 1_000;
      while (clock.monotonicMs() < untilMs) {
        const result = await run.step();
        if (result.next === "end") break;
        if (result.next === "wait") await clock.advance(Math.min(result.ms, untilMs - clock.monotonicMs()));
      }
      return (await bulkOf(test, id)).doneCount - before;
    };
    const first = await forSeconds(10);
    expect(first).toBeGreaterThanOrEqual(450);
    expect(first).toBeLessThanOrEqual(550);
    await test.database.use((session) => setBulkPace(session, { id, ratePerSecond: 10 }));
    const slow = await forSeconds(20);
    expect(slow).toBeGreaterThanOrEqual(180);
    expect(slow).toBeLessThanOrEqual(220);
    await test.database.use((session) => setBulkPace(session, { id, ratePerSecond: undefined }));
    // Without a limit nothing waits, so the clock stands still until all is done.
    for (let steps = 0; steps < 100; steps++) if ((await run.step()).next !== "go_on") break;
    expect(await bulkOf(test, id)).toMatchObject({ state: "finished", doneCount: 1_500 });
  });

  it("shows a sign of life while it waits, and learns within a second that it was stopped", async () => {
    const eventType = newType();
    await insertFailed(test, { eventType, count: 3 });
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] }, ratePerSecond: 0.01 });
    const clock = new ManualClock();
    const run = await takenRun(id, clock);
    await run.step();
    await run.step();
    const { beatAt } = await bulkOf(test, id);
    const result = await run.step();
    expect(result).toEqual({ next: "wait", ms: 1_000 });
    expect((await bulkOf(test, id)).beatAt?.getTime()).toBeGreaterThan(beatAt?.getTime() ?? Number.POSITIVE_INFINITY);
    await test.database.use((session) => abortBulk(session, id));
    expect(await run.step()).toEqual({ next: "end" });
    expect(await bulkOf(test, id)).toMatchObject({ state: "aborted", doneCount: 1, owner: undefined });
  });
});

describe("pause, resume and abort", () => {
  it("a pause that is committed lets no further task be changed; a resume goes on where it was", async () => {
    const eventType = newType();
    await insertFailed(test, { eventType, count: 500 });
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] } });
    const run = await takenRun(id);
    await run.step();
    await run.step();
    expect(await test.database.use((session) => pauseBulk(session, id))).toBe(1);
    expect(await run.step()).toEqual({ next: "end" });
    expect(await bulkOf(test, id)).toMatchObject({ state: "paused", doneCount: 200 });
    expect(await test.database.use((session) => pauseBulk(session, id)), "a second press").toBe(0);
    expect(await test.database.use((session) => resumeBulk(session, id))).toBe(1);
    expect(await runBulk(test, id)).toMatchObject({ state: "finished", doneCount: 500, skippedCount: 0 });
  });

  it("a pause waits for the batch under way, and a batch that comes after it changes nothing", async () => {
    const eventType = newType();
    const taskId = await insert({ eventType });
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] } });
    await takenRun(id);
    const batch = { ids: [taskId], cursor: { kind: "ids", next: 1 }, givesUp: false } as const;
    const reached = new Gate();
    const goOn = new Gate();
    const applied = test.database.transaction((session) =>
      applyBulkBatch(session, { id, owner: "me" }, batch, async (step) => {
        if (step !== "changed") return;
        reached.open();
        await goOn.opened;
      }),
    );
    await reached.opened;
    let isPaused = false;
    const pausing = test.database
      .retryingTransaction((session) => pauseBulk(session, id))
      .then(() => (isPaused = true));
    expect(isPaused).toBe(false);
    goOn.open();
    expect(await applied).toMatchObject({ done: 1 });
    await pausing;
    const late = await test.database.transaction((session) => applyBulkBatch(session, { id, owner: "me" }, batch));
    expect(late).toBeUndefined();
  });

  it("an abort before its start is a real undo: nothing was changed, and nothing ever is", async () => {
    const eventType = newType();
    const taskId = await insert({ eventType });
    const before = await read(taskId);
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] }, startDelayMs: 10_000 });
    const runner = bulkRunner(test);
    await runner.runOnce();
    expect(await bulkOf(test, id)).toMatchObject({ state: "scheduled", owner: undefined });
    await test.database.use((session) => abortBulk(session, id));
    await test.pool.query("UPDATE t_retry_bulk SET start_time = create_time WHERE id = ?", [id]);
    await runner.runOnce();
    await runner.idle();
    expect(await bulkOf(test, id)).toMatchObject({ state: "aborted", doneCount: 0 });
    expect(await read(taskId)).toEqual(before);
    expect(await test.database.use((session) => resumeBulk(session, id)), "it cannot be resumed").toBe(0);
  });

  it("an action that waits for approval is begun by nobody", async () => {
    const id = await storeBulk(test, { filter: { eventTypes: [newType()] }, state: "awaiting_approval" });
    const runner = bulkRunner(test);
    await runner.runOnce();
    expect(await bulkOf(test, id)).toMatchObject({ state: "awaiting_approval", owner: undefined });
  });
});

describe("a canary", () => {
  const settle = (id: string, succeeded: number) =>
    test.pool.query(
      `UPDATE t_retry_task t JOIN (SELECT task_id, ROW_NUMBER() OVER (ORDER BY task_id) AS n FROM t_retry_bulk_item WHERE bulk_id = ?) i ON i.task_id = t.id
        SET t.status = IF(i.n <= ${succeeded}, 1, 0), t.retry_count = IF(i.n <= ${succeeded}, 0, 1)`,
      [id],
    );
  const begin = async () => {
    const eventType = newType();
    await insertFailed(test, { eventType, count: 300 });
    const id = await storeBulk(test, {
      filter: { eventTypes: [eventType] },
      canaryRows: 20,
      canaryShare: 0.9,
      jitterMs: 3_600_000,
    });
    const run = await takenRun(id, new ManualClock(), "canary");
    await run.step();
    await run.step();
    expect(await bulkOf(test, id)).toMatchObject({ state: "canary", doneCount: 20 });
    expect(await run.step(), "it waits while none has been tried").toMatchObject({ next: "wait" });
    const [due] = await rows<{ n: number }>(
      "SELECT COUNT(*) AS n FROM t_retry_task WHERE event_type = ? AND status = 0 AND next_retry_time = update_time",
      [eventType],
    );
    expect(due?.n, "its tasks are due at once, whatever the jitter").toBe(20);
    return { id, run };
  };

  it("lets the rest follow once enough of it has succeeded", async () => {
    const { id, run } = await begin();
    await settle(id, 18);
    expect(await run.step()).toEqual({ next: "go_on" });
    for (let steps = 0; steps < 20; steps++) if ((await run.step()).next === "end") break;
    expect(await bulkOf(test, id)).toMatchObject({ state: "finished", doneCount: 300, canaryVerdict: "passed" });
    expect(await auditOf(id)).toEqual(["bulk.canary_pass", "bulk.finish"]);
  });

  it("stops the action once each was tried and too few have succeeded; a person may overrule it", async () => {
    const { id, run } = await begin();
    await settle(id, 17);
    expect(await run.step()).toEqual({ next: "end" });
    expect(await bulkOf(test, id)).toMatchObject({
      state: "paused",
      doneCount: 20,
      canaryVerdict: "failed",
      stateReason: "canary: 17 of 20 succeeded",
    });
    expect(await auditOf(id)).toEqual(["bulk.canary_stop"]);
    await test.database.use((session) => resumeBulk(session, id));
    expect(await runBulk(test, id)).toMatchObject({ state: "finished", doneCount: 300, canaryVerdict: "overruled" });
  });
});

describe("runners of several workers", () => {
  it("share the work so that each action has one owner and each task is changed once", async () => {
    const types = [newType(), newType()];
    for (const eventType of types) await insertFailed(test, { eventType, count: 900 });
    const ids = [];
    for (const eventType of types) ids.push(await storeBulk(test, { filter: { eventTypes: [eventType] } }));
    const runners = ["a", "b", "c"].map((owner) => bulkRunner(test, { owner }));
    for (const runner of runners) runner.start();
    for (const id of ids) {
      await waitFor("both to finish", async () => (await bulkOf(test, id)).state === "finished");
      expect(await bulkOf(test, id)).toMatchObject({ doneCount: 900, skippedCount: 0 });
    }
    for (const runner of runners) await runner.stop();
    const [entries] = await rows<{ n: number; tasks: number }>(
      "SELECT COUNT(*) AS n, COUNT(DISTINCT task_id) AS tasks FROM t_retry_attempt WHERE event_type IN (?)",
      [types],
    );
    expect(entries).toEqual({ n: 1_800, tasks: 1_800 });
  });

  it("never run more than three at a time; the next begins when one has ended", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      const eventType = newType();
      await insertFailed(test, { eventType, count: 3 });
      ids.push(await storeBulk(test, { filter: { eventTypes: [eventType] }, ratePerSecond: 0.001 }));
    }
    const runners = ["a", "b", "c", "d"].map((owner) => bulkRunner(test, { owner }));
    await Promise.all(runners.map((runner) => runner.runOnce()));
    // The lease that decides who begins may be another's at first.
    await waitFor("three to run", async () => {
      await Promise.all(runners.map((runner) => runner.runOnce()));
      const running = await test.database.use((session) => listBulksInStates(session, ["running"]));
      expect(running.length).toBeLessThanOrEqual(BULK_RUNNING_MAX);
      return running.length === BULK_RUNNING_MAX;
    });
    await test.database.use((session) => abortBulk(session, ids[0] ?? ""));
    await waitFor("the fourth to begin", async () => {
      await Promise.all(runners.map((runner) => runner.runOnce()));
      return (await bulkOf(test, ids[3] ?? "")).state === "running";
    });
    expect((await bulkOf(test, ids[4] ?? "")).state).toBe("scheduled");
    for (const id of ids) await test.database.use((session) => abortBulk(session, id));
    for (const runner of runners) await runner.stop();
  });

  it("leave an action to an owner that shows signs of life, and follow one that has shown none for 15 s", async () => {
    const eventType = newType();
    await insertFailed(test, { eventType, count: 3 });
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] } });
    const old = await takenRun(id);
    await old.step();
    await test.pool.query("UPDATE t_retry_bulk SET beat_time = TIMESTAMPADD(SECOND, -14, beat_time) WHERE id = ?", [
      id,
    ]);
    const runner = bulkRunner(test, { owner: "other" });
    await runner.runOnce();
    expect(await bulkOf(test, id)).toMatchObject({ owner: "me" });
    await test.pool.query("UPDATE t_retry_bulk SET beat_time = TIMESTAMPADD(SECOND, -2, beat_time) WHERE id = ?", [id]);
    await runner.runOnce();
    await runner.idle();
    expect(await bulkOf(test, id)).toMatchObject({ state: "finished", doneCount: 3 });
    expect(await old.step(), "the old owner finds that it has lost it").toEqual({ next: "end" });
    expect(await test.database.use((session) => beatBulk(session, { id, owner: "me" }))).toBe(0);
  });

  it("give an action up when they stop, so that another goes on at once", async () => {
    const eventType = newType();
    await insertFailed(test, { eventType, count: 5 });
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] }, ratePerSecond: 1 });
    const first = bulkRunner(test, { owner: "first" });
    await waitFor("the first to begin", async () => {
      await first.runOnce();
      return (await bulkOf(test, id)).doneCount > 0;
    });
    await first.stop();
    expect(await bulkOf(test, id)).toMatchObject({ state: "running", owner: undefined });
    await test.database.use((session) => setBulkPace(session, { id, ratePerSecond: undefined }));
    expect(await runBulk(test, id, { owner: "second" })).toMatchObject({ state: "finished", doneCount: 5 });
  });
});

describe("a revert", () => {
  const revert = async (sourceId: string, eventType: string) => {
    const id = await storeBulk(test, {
      action: "revert",
      filter: { state: "all", eventTypes: [eventType], bulkId: sourceId },
    });
    return { id, row: await runBulk(test, id) };
  };

  it("gives back every column of a task that nobody has touched since", async () => {
    const eventType = newType();
    const taskId = await insert({
      eventType,
      retryCount: 7,
      recycleCount: 2,
      claimNo: 9,
      startedTime: ENDED,
      ip: "10.0.0.9",
      lastError: "boom",
      errorFingerprint: "f1",
    });
    const { updateTime: _, ...before } = await read(taskId);
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] } });
    await runBulk(test, id);
    const { row } = await revert(id, eventType);
    expect(row).toMatchObject({ state: "finished", doneCount: 1, skippedCount: 0 });
    expect(await read(taskId)).toMatchObject(before);
    const kinds = await rows<{ kind: string }>("SELECT kind FROM t_retry_attempt WHERE task_id = ? ORDER BY id", [
      taskId,
    ]);
    expect(kinds.map(({ kind }) => kind)).toEqual(["reset", "undone"]);
  });

  it("leaves alone what a worker has picked up or a person has changed since, and says which", async () => {
    const eventType = newType();
    const [claimed, ranAgain, edited, free] = [
      await insert({ eventType }),
      await insert({ eventType }),
      await insert({ eventType }),
      await insert({ eventType }),
    ];
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] } });
    await runBulk(test, id);
    await test.database.transaction((session) =>
      claimTasksById(session, { owner: "w", ip: "10.0.0.1" }, { eventType, ids: [claimed, ranAgain] }),
    );
    // Failed once and waits for its next attempt: pending again, with a claim number of its own.
    await test.pool.query("UPDATE t_retry_task SET status = 0, owner = NULL, retry_count = 1 WHERE id = ?", [ranAgain]);
    await test.pool.query(
      "UPDATE t_retry_task SET biz_context = '[]', update_time = TIMESTAMPADD(SECOND, 1, update_time) WHERE id = ?",
      [edited],
    );
    const { id: revertId, row } = await revert(id, eventType);
    expect(row).toMatchObject({ doneCount: 1, skippedCount: 3 });
    expect(await itemsOf(revertId)).toEqual([
      { id: claimed, result: "skipped", detail: "running" },
      { id: ranAgain, result: "skipped", detail: "changed" },
      { id: edited, result: "skipped", detail: "changed" },
      { id: free, result: "done", detail: null },
    ]);
  });

  it("of a cancel makes the tasks pending or failed again, as they were", async () => {
    const eventType = newType();
    const [pending, failed] = [
      await insert({
        eventType,
        status: "pending",
        finishedTime: null,
        finishReason: null,
        retryCount: 1,
        dueInMs: 3_600_000,
      }),
      await insert({ eventType }),
    ];
    const before = await Promise.all([pending, failed].map(read));
    const id = await storeBulk(test, {
      action: "cancel",
      filter: { state: "all", eventTypes: [eventType], ids: [pending, failed] },
    });
    expect(await runBulk(test, id)).toMatchObject({ doneCount: 2 });
    await revert(id, eventType);
    for (const [index, taskId] of [pending, failed].entries()) {
      const { updateTime: _, ...rest } = before[index] as TaskRow;
      expect(await read(taskId)).toMatchObject(rest);
    }
  });
});

describe("what became of the tasks", () => {
  it("is counted by their state since, archived ones too, and those that failed again are started anew as an action of their own", async () => {
    const eventType = newType();
    await insertFailed(test, { eventType, count: 8 });
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] } });
    await runBulk(test, id);
    const ids = (await itemsOf(id)).map((item) => item.id);
    const set = (position: number, text: string) =>
      test.pool.query(`UPDATE t_retry_task SET ${text} WHERE id = ?`, [ids[position]]);
    await set(0, "status = 1");
    await set(1, "status = 2, retry_count = 5, finished_time = TIMESTAMPADD(SECOND, -1, UTC_TIMESTAMP(3))");
    await set(2, "retry_count = 1");
    await set(3, "status = 3, owner = 'w', claim_no = claim_no + 1");
    await set(4, "status = 4");
    await test.pool.query(
      `INSERT INTO t_retry_task_archive (id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
        first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count)
        SELECT id, TIMESTAMPADD(MINUTE, 1, update_time), event_type, biz_key, biz_context, 1, 0, 5, 'FIXED', 10, next_retry_time, create_time, update_time, 1, 0
        FROM t_retry_task WHERE id = ?`,
      [ids[5]],
    );
    await test.pool.query("DELETE FROM t_retry_task WHERE id IN (?)", [[ids[5], ids[6]]]);
    const { createdAt } = await bulkOf(test, id);
    expect(await test.database.use((session) => countBulkOutcome(session, { bulkId: id, since: createdAt }))).toEqual({
      succeeded: 2,
      failed: 1,
      retrying: 1,
      waiting: 1,
      running: 1,
      cancelled: 1,
      gone: 1,
      looked: 8,
    });
    const again = await storeBulk(test, { filter: { eventTypes: [eventType], bulkId: id } });
    expect(await runBulk(test, again)).toMatchObject({ doneCount: 1, skippedCount: 0 });
    expect((await itemsOf(again)).map((item) => item.id)).toEqual([ids[1]]);
  });
});

describe("the locks of a batch", () => {
  it("are its own tasks; no business insert, no duplicate enqueue and no claim waits for them", async () => {
    const eventType = newType();
    await insertFailed(test, { eventType, count: 60 });
    const pending = await insert({ eventType, status: "pending", finishedTime: null, dueInMs: -1_000 });
    const id = await storeBulk(test, { filter: { eventTypes: [eventType] } });
    await test.database.use((session) => startBulk(session, { id, owner: "me", state: "running" }));
    const failed = await rows<{ id: number }>(
      "SELECT id FROM t_retry_task WHERE event_type = ? AND status = 2 ORDER BY id LIMIT 40",
      [eventType],
    );
    const ids = failed.map((row) => String(row.id));
    const business = await BusinessConnection.open(test);
    const held = await holdOpen(test.database, (session) =>
      applyBulkBatch(session, { id, owner: "me" }, { ids, cursor: { kind: "ids", next: 40 }, givesUp: false }),
    );
    expect(held.result).toMatchObject({ done: 40 });
    expect(await business.isolation()).toBe("REPEATABLE-READ");
    for (const [n, dueAt] of [new Date(), new Date(Date.now() + 3_600_000), new Date(0)].entries()) {
      expect(await business.insert({ eventType, bizKey: `new-${n}`, dueAt })).toBe("done");
    }
    expect(await business.insert({ eventType, bizKey: "k-1", dueAt: new Date() }), "a key that exists").toBe(1062);
    const claimed = await test.database.transaction((session) =>
      claimTasksById(session, { owner: "w", ip: "10.0.0.1" }, { eventType, ids: [pending] }),
    );
    expect(claimed.map((task) => task.id)).toEqual([pending]);
    const locked = (await lockedTaskIds(test)).filter((one) => ids.includes(one));
    await held.commit();
    await business.close();
    expect(locked).toEqual(ids);
  });
});

it("bounds an action that is made on an empty table to nothing", async () => {
  const empty = await createTestDatabase();
  try {
    expect(await empty.database.use(readBulkBounds)).toMatchObject({ maxId: "0" });
  } finally {
    await empty.drop();
  }
});
