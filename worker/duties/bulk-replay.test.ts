import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countBulkOutcome } from "../../db/queries/bulk-outcome.ts";
import { claimDueTasks } from "../../db/queries/claim-tasks.ts";
import { pauseBulk, resumeBulk, startBulk } from "../../db/queries/bulk-transitions.ts";
import { replayTask } from "../../db/queries/replay-task.ts";
import { countSkips } from "../../db/queries/bulk-outcome.ts";
import { BusinessConnection, holdOpen } from "../../db/testing/locks.ts";
import { insertTaskRow, readTaskRow, type TaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { bulkOf, runBulk } from "../testing/bulk-scene.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { ARCHIVED, archiveMany, archiveTask, storeReplay } from "../testing/replay-scene.ts";
import { BulkRun } from "./bulk-run.ts";
import { applyReplayBatch, REPLAY_BYTES_MAX } from "./replay-batch.ts";

let test: TestDatabase;
let ids = 5_000_000;
beforeAll(async () => {
  test = await createTestDatabase({ connectionLimit: 12 });
});
afterAll(() => test.drop());

const newType = () => `T-${randomBytes(4).toString("hex")}`;
const newId = () => String(++ids);
const later = (ms: number) => new Date(ARCHIVED.getTime() + ms);
const rows = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  (await test.pool.query(text, [...values]))[0] as Row[];
const itemsOf = (bulkId: string) =>
  rows<{ id: string; result: string; detail: string | null; live: string | null }>(
    "SELECT CAST(archived_id AS CHAR) AS id, result, detail, CAST(live_id AS CHAR) AS live FROM t_retry_bulk_replay WHERE bulk_id = ? ORDER BY archived_id, archived_time",
    [bulkId],
  );
const madeOf = async (eventType: string): Promise<TaskRow[]> => {
  const found = await rows<{ id: string }>(
    "SELECT CAST(id AS CHAR) AS id FROM t_retry_task WHERE event_type = ? AND parent_id IS NOT NULL ORDER BY t_retry_task.id",
    [eventType],
  );
  return Promise.all(
    found.map(async ({ id }) => {
      const row = await test.database.use((session) => readTaskRow(session, id));
      if (!row) throw new Error(`no task ${id}`);
      return row;
    }),
  );
};

/** An action in this process's hands, to be carried on step by step. */
async function takenRun(id: string, state: "running" | "canary" = "running"): Promise<BulkRun> {
  expect(await test.database.use((session) => startBulk(session, { id, owner: "me", state }))).toBe(1);
  return new BulkRun({ database: test.database, clock: new ManualClock(), id, owner: "me" });
}

describe("a bulk replay", () => {
  it("makes a new task of each archived one that its filter means, linked both ways, and leaves the archive as it was", async () => {
    const [eventType, other] = [newType(), newType()];
    const meant = newId();
    const bizContext = '{"big":12345678901234567890,"text":"\u202e😀\\u0000"}';
    const one = { eventType, bizKey: "k'1", bizContext, errorFingerprint: "f1", retryCount: 4 } as const;
    await archiveTask(test, { id: meant, ...one });
    await archiveTask(test, { id: newId(), eventType, errorFingerprint: "f2" });
    await archiveTask(test, { id: newId(), eventType, errorFingerprint: "f1", status: "cancelled" });
    await archiveTask(test, { id: newId(), eventType: other, errorFingerprint: "f1" });
    await archiveTask(test, {
      id: newId(),
      eventType,
      errorFingerprint: "f1",
      archivedAt: new Date("2026-10-31T23:59:59.999Z"),
    });
    const before = await rows("SELECT * FROM t_retry_task_archive ORDER BY id");
    const id = await storeReplay(test, [eventType], { cause: "f1", status: "failed" });
    expect(await runBulk(test, id)).toMatchObject({ state: "finished", doneCount: 1, skippedCount: 0 });
    const [made, ...more] = await madeOf(eventType);
    expect(more).toEqual([]);
    expect(made).toMatchObject({
      ...{ status: "pending", bizKey: "k'1", bizContext, parentId: meant, origin: "replay", retryCount: 0, claimNo: 0 },
      ...{ maxRetryCount: 3, retryStrategy: "FIXED", firstRetryInterval: 10 },
    });
    expect(await itemsOf(id)).toEqual([{ id: meant, result: "done", detail: null, live: made?.id }]);
    expect(await rows("SELECT * FROM t_retry_task_archive ORDER BY id")).toEqual(before);
    const history = await rows(
      "SELECT CAST(task_id AS CHAR) AS id, kind, actor, detail, retry_count FROM t_retry_attempt WHERE event_type = ? ORDER BY t_retry_attempt.id",
      [eventType],
    );
    expect(history).toEqual([
      { id: meant, kind: "replayed", actor: "ada", detail: `as task ${made?.id}: bulk ${id}: INC-7`, retry_count: 4 },
      { id: made?.id, kind: "replayed", actor: "ada", detail: `of task ${meant}: bulk ${id}: INC-7`, retry_count: 0 },
    ]);
    const audit = await rows<{ action: string }>("SELECT action FROM t_retry_audit WHERE correlation = ?", [
      `bulk-${id}`,
    ]);
    expect(audit).toEqual([{ action: "bulk.finish" }]);
  });

  it("leaves alone what must not be replayed, and says why of each", async () => {
    const [eventType, unknown, foreign] = [newType(), newType(), newType()];
    const made: Record<string, string> = {};
    const pick = async (name: string, row: object = {}) => {
      const id = (made[name] = newId());
      await archiveTask(test, { id, eventType, bizKey: name, ...row });
      return { id, archivedAt: ARCHIVED.toISOString() };
    };
    const picked = [
      await pick("free"),
      await pick("succeeded", { status: "succeeded" }),
      await pick("twin"),
      await pick("again"),
      await pick("replayed"),
      await pick("unknown", { eventType: unknown }),
      await pick("foreign", { eventType: foreign }),
      { id: newId(), archivedAt: ARCHIVED.toISOString() },
    ];
    await test.pool.query("DELETE FROM t_retry_event_type WHERE event_type = ?", [unknown]);
    const twin = await test.database.use((session) =>
      insertTaskRow(session, { eventType, bizKey: "twin", status: "failed" }),
    );
    await archiveTask(test, { id: newId(), eventType, bizKey: "again", status: "succeeded", archivedAt: later(1) });
    const single = await test.database.transaction((session) =>
      replayTask(session, { id: made["replayed"] ?? "", actor: "bob" }),
    );
    await test.pool.query("DELETE FROM t_retry_task WHERE id = ?", [single.outcome === "done" ? single.id : "0"]);
    const id = await storeReplay(test, [eventType, unknown], { picked });
    expect(await runBulk(test, id)).toMatchObject({ state: "finished", doneCount: 1, skippedCount: 7 });
    expect((await itemsOf(id)).map(({ detail, live }) => [detail, detail === null ? "new" : live])).toEqual([
      [null, "new"],
      ["unconfirmed", null],
      ["live_twin", twin],
      ["older_copy", null],
      ["replayed", null],
      ["unknown_type", null],
      ["out_of_scope", null],
      ["purged", null],
    ]);
    expect((await madeOf(eventType)).map(({ bizKey }) => bizKey)).toEqual(["free"]);
    expect(await test.database.use((session) => countSkips(session, id, "archived"))).toHaveLength(7);
  });

  it("replays of several tasks of one key the newest, of all types and ids apart, and tasks that succeeded once that is confirmed", async () => {
    const [eventType, other] = [newType(), newType()];
    const reissued = newId();
    const copies = [newId(), newId(), newId()] as const;
    for (const [n, id] of copies.entries())
      await archiveTask(test, { id, eventType, bizKey: "k", archivedAt: later(n) });
    await archiveTask(test, { id: newId(), eventType: other, bizKey: "k", status: "succeeded" });
    // An id that the server handed out again: two tasks, not one.
    await archiveTask(test, { id: reissued, eventType, bizKey: "a" });
    await archiveTask(test, { id: reissued, eventType, bizKey: "b", archivedAt: later(5) });
    const id = await storeReplay(test, [eventType, other], { withSucceeded: true });
    expect(await runBulk(test, id)).toMatchObject({ doneCount: 4, skippedCount: 2 });
    expect((await madeOf(eventType)).map(({ bizKey, parentId }) => [bizKey, parentId]).sort()).toEqual([
      ["a", reissued],
      ["b", reissued],
      ["k", copies[2]],
    ]);
    expect((await itemsOf(id)).filter(({ detail }) => detail === "older_copy").map((item) => item.id)).toEqual([
      copies[0],
      copies[1],
    ]);
    expect(await madeOf(other)).toHaveLength(1);
  });

  it("is followed by what became of the new tasks, and a second replay of the same finds nothing to do", async () => {
    const eventType = newType();
    await archiveMany(test, { eventType, count: 5, firstId: 100 });
    const id = await storeReplay(test, [eventType]);
    await runBulk(test, id);
    const made = await madeOf(eventType);
    await test.pool.query("UPDATE t_retry_task SET status = 1 WHERE id = ?", [made[0]?.id]);
    await test.pool.query("UPDATE t_retry_task SET status = 2 WHERE id = ?", [made[1]?.id]);
    const { createdAt } = await bulkOf(test, id);
    expect(
      await test.database.use((session) => countBulkOutcome(session, { bulkId: id, since: createdAt })),
    ).toMatchObject({
      ...{ succeeded: 1, failed: 1, waiting: 3, looked: 5 },
    });
    // Their new tasks are gone for good: the history knows of them still.
    await test.pool.query("DELETE FROM t_retry_task WHERE event_type = ?", [eventType]);
    const again = await storeReplay(test, [eventType]);
    expect(await runBulk(test, again)).toMatchObject({ state: "finished", doneCount: 0, skippedCount: 5 });
    expect(new Set((await itemsOf(again)).map(({ detail }) => detail))).toEqual(new Set(["replayed"]));
  });

  it("by two actions at once makes one task of each", async () => {
    const eventType = newType();
    await archiveMany(test, { eventType, count: 450, firstId: 10_000 });
    const both = [
      await storeReplay(test, [eventType]),
      await storeReplay(test, [eventType], { status: "failed" }),
    ] as const;
    const ended = await Promise.all([runBulk(test, both[0], { owner: "a" }), runBulk(test, both[1], { owner: "b" })]);
    expect(ended.map(({ state }) => state)).toEqual(["finished", "finished"]);
    expect(ended[0].doneCount + ended[1].doneCount).toBe(450);
    expect(ended[0].skippedCount + ended[1].skippedCount).toBe(450);
    expect(await madeOf(eventType)).toHaveLength(450);
  });

  it("spreads the due times over its jitter", async () => {
    const eventType = newType();
    await archiveMany(test, { eventType, count: 300, firstId: 20_000 });
    await runBulk(test, await storeReplay(test, [eventType], {}, { jitterMs: 60_000 }));
    const [spread] = await rows<{ early: number; late: number; latest: number }>(
      `SELECT SUM(next_retry_time < TIMESTAMPADD(SECOND, 30, create_time)) AS early, SUM(next_retry_time >= TIMESTAMPADD(SECOND, 30, create_time)) AS late,
        MAX(TIMESTAMPDIFF(MICROSECOND, create_time, next_retry_time)) AS latest FROM t_retry_task WHERE event_type = ?`,
      [eventType],
    );
    expect(Number(spread?.early)).toBeGreaterThan(90);
    expect(Number(spread?.late)).toBeGreaterThan(90);
    expect(Number(spread?.latest)).toBeLessThanOrEqual(60_000_000);
  });

  it("takes no more payload at a time than a batch may hold", async () => {
    const eventType = newType();
    const bizContext = JSON.stringify("x".repeat(REPLAY_BYTES_MAX / 4));
    await archiveMany(test, { eventType, count: 5, firstId: 30_000, bizContext });
    const id = await storeReplay(test, [eventType]);
    const run = await takenRun(id);
    await run.step();
    const counts: number[] = [];
    for (let steps = 0; steps < 9 && (await run.step()).next !== "end"; steps++)
      counts.push((await bulkOf(test, id)).doneCount);
    expect(counts).toEqual([3, 5]);
    expect(await bulkOf(test, id)).toMatchObject({ state: "finished", doneCount: 5 });
  });
});

describe("pause, pace and canary", () => {
  it("a pause lets no further task be made; a resume goes on where it was", async () => {
    const eventType = newType();
    await archiveMany(test, { eventType, count: 500, firstId: 40_000 });
    const id = await storeReplay(test, [eventType]);
    const run = await takenRun(id);
    await run.step();
    await run.step();
    expect(await test.database.use((session) => pauseBulk(session, id))).toBe(1);
    expect(await run.step()).toEqual({ next: "end" });
    expect(await madeOf(eventType)).toHaveLength(200);
    await test.database.use((session) => resumeBulk(session, id));
    expect(await runBulk(test, id)).toMatchObject({ state: "finished", doneCount: 500, skippedCount: 0 });
  });

  it("a canary makes its tasks due at once, waits for them, and stops if too few succeed", async () => {
    const eventType = newType();
    await archiveMany(test, { eventType, count: 300, firstId: 50_000 });
    const id = await storeReplay(test, [eventType], {}, { canaryRows: 20, canaryShare: 0.9, jitterMs: 3_600_000 });
    const run = await takenRun(id, "canary");
    await run.step();
    await run.step();
    expect(await run.step(), "it waits while none has been tried").toMatchObject({ next: "wait" });
    const due = "SELECT COUNT(*) AS n FROM t_retry_task WHERE event_type = ? AND next_retry_time = create_time";
    expect(await rows(due, [eventType])).toEqual([{ n: 20 }]);
    await test.pool.query("UPDATE t_retry_task SET retry_count = 1 WHERE event_type = ?", [eventType]);
    expect(await run.step()).toEqual({ next: "end" });
    expect(await bulkOf(test, id)).toMatchObject({ state: "paused", doneCount: 20, canaryVerdict: "failed" });
    await test.database.use((session) => resumeBulk(session, id));
    expect(await runBulk(test, id)).toMatchObject({ state: "finished", doneCount: 300, canaryVerdict: "overruled" });
  });
});

describe("the locks of a batch", () => {
  it("are of the rows it makes: no other business insert waits, nor a claim", async () => {
    const eventType = newType();
    await archiveMany(test, { eventType, count: 40, firstId: 60_000 });
    const id = await storeReplay(test, [eventType]);
    await test.database.use((session) => startBulk(session, { id, owner: "me", state: "running" }));
    const refs = Array.from({ length: 40 }, (_, n) => ({ id: String(60_000 + n), archivedAt: later(n).toISOString() }));
    const business = await BusinessConnection.open(test);
    const held = await holdOpen(test.database, (session) =>
      applyReplayBatch(
        session,
        { id, owner: "me" },
        { refs, heldKeys: new Set(), cursor: { kind: "ids", next: 40 }, givesUp: false },
      ),
    );
    expect(held.result).toMatchObject({ done: 40 });
    const pending = await test.database.use((session) =>
      insertTaskRow(session, { eventType, bizKey: "free", dueInMs: -1 }),
    );
    const claim = test.database.transaction((session) =>
      claimDueTasks(session, { owner: "w", ip: "10.0.0.1" }, { eventType, limit: 10 }),
    );
    expect((await claim).map((task) => task.id)).toEqual([pending]);
    expect(await business.isolation()).toBe("REPEATABLE-READ");
    for (const [n, dueAt] of [new Date(), new Date(Date.now() + 3_600_000), new Date(0)].entries()) {
      for (const bizKey of [`j-${n}`, `k-${n}x`, `k-39${n}`, `z-${n}`]) {
        expect(await business.insert({ eventType, bizKey, dueAt }), bizKey).toBe("done");
      }
    }
    expect(await business.insert({ eventType, bizKey: "k-1", dueAt: new Date() }), "a key that is being replayed").toBe(
      1205,
    );
    await held.commit();
    expect(await business.insert({ eventType, bizKey: "k-1", dueAt: new Date() })).toBe(1062);
    await business.close();
  });

  it("wait for no business transaction that has just created a task of one of the keys", async () => {
    const eventType = newType();
    await archiveMany(test, { eventType, count: 30, firstId: 70_000 });
    const enqueue = await holdOpen(test.database, (session) => insertTaskRow(session, { eventType, bizKey: "k-7" }));
    const id = await storeReplay(test, [eventType]);
    const run = await takenRun(id);
    await run.step();
    expect(await run.step()).toMatchObject({ next: "wait" });
    expect(await bulkOf(test, id)).toMatchObject({ doneCount: 29, skippedCount: 0 });
    await enqueue.commit();
    await run.step();
    expect(await itemsOf(id)).toContainEqual({
      id: "70007",
      result: "skipped",
      detail: "live_twin",
      live: enqueue.result,
    });

    const held = await holdOpen(test.database, (session) => insertTaskRow(session, { eventType, bizKey: "late" }));
    await archiveTask(test, { id: "70100", eventType, bizKey: "late" });
    const second = await storeReplay(test, [eventType], {
      picked: [{ id: "70100", archivedAt: ARCHIVED.toISOString() }],
    });
    const finished = await runBulk(test, second);
    await held.rollback();
    expect(finished).toMatchObject({ state: "finished", doneCount: 0, skippedCount: 1 });
    expect(await itemsOf(second)).toMatchObject([{ detail: "locked", live: null }]);
  });
});
