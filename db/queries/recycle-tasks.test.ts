import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { holdOpen } from "../testing/locks.ts";
import { insertTaskRow, readTaskRow, type TaskRowValues } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { claimTasksById } from "./claim-tasks.ts";
import { completeTasks } from "./complete-tasks.ts";
import { type AbandonedTask, listAbandonedTasks, recycleTasks } from "./recycle-tasks.ts";
import { releaseTasks } from "./release-tasks.ts";
import { listAttempts } from "./show-task.ts";
import { registerWorker, stopWorker } from "./workers.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");
const DEAD_AFTER_MS = 15_000;
const FOREIGN_AFTER_MS = 180_000;
const before = (ms: number) => new Date(NOW.getTime() - ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() =>
  inSession(async (session) => {
    for (const table of ["task", "worker", "attempt"]) await session.run(`DELETE FROM t_retry_${table}`);
  }),
);

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const row = (id: string) => inSession((session) => readTaskRow(session, id));
const insertRunning = (values: TaskRowValues) =>
  inSession((session) =>
    insertTaskRow(session, {
      status: "running",
      claimNo: 1,
      nextRetryTime: before(60_000),
      updateTime: NOW,
      ...values,
    }),
  );
const register = (owner: string, beatAt: Date, deadAfterMs = DEAD_AFTER_MS) =>
  inSession((session) =>
    registerWorker(session.at(beatAt), {
      owner,
      host: "host",
      ip: "10.0.0.1",
      pid: 1,
      version: "1",
      deadAfterMs,
      eventTypes: ["TEST"],
    }),
  );
const list = (self = "self") =>
  inSession((session) =>
    listAbandonedTasks(session.at(NOW), { eventType: "TEST", self, foreignAfterMs: FOREIGN_AFTER_MS }),
  );
const recycle = (abandoned: readonly AbandonedTask[], maxRecycles = 3) =>
  test.database.transaction((session) => recycleTasks(session.at(NOW), abandoned, { maxRecycles, by: "self" }));
const attempts = (id: string) => inSession((session) => listAttempts(session, id));

describe("listAbandonedTasks", () => {
  it("lists the tasks of an owner that is a millisecond late, and not those of one exactly at its limit", async () => {
    await register("alive", before(DEAD_AFTER_MS));
    await register("dead", before(DEAD_AFTER_MS + 1));
    await insertRunning({ owner: "alive" });
    const abandoned = await insertRunning({ owner: "dead", claimNo: 6, retryCount: 1, recycleCount: 2 });
    expect(await list()).toEqual([
      {
        id: abandoned,
        eventType: "TEST",
        claimNo: 6,
        owner: "dead",
        retryCount: 1,
        maxRetryCount: 3,
        recycleCount: 2,
        updateTime: test.zone.format(NOW),
      },
    ]);
  });

  it("judges each owner by its own limit", async () => {
    await register("patient", before(50_000), 60_000);
    await register("quick", before(50_000), 40_000);
    await insertRunning({ owner: "patient" });
    const abandoned = await insertRunning({ owner: "quick" });
    expect((await list()).map(({ id }) => id)).toEqual([abandoned]);
  });

  it("lists the tasks of an owner that has stopped at once", async () => {
    await register("stopped", NOW);
    await inSession((session) => stopWorker(session, "stopped"));
    const abandoned = await insertRunning({ owner: "stopped" });
    expect((await list()).map(({ id }) => id)).toEqual([abandoned]);
  });

  it.each([
    ["without an owner", null],
    ["of an owner nobody registered", "unknown"],
    ["of an owner that differs from a living one in case only", "ALIVE"],
  ])("lists a row %s after the rule for foreign rows, not at its limit", async (_, owner) => {
    await register("alive", NOW);
    await insertRunning({ owner, updateTime: before(FOREIGN_AFTER_MS) });
    const abandoned = await insertRunning({ owner, updateTime: before(FOREIGN_AFTER_MS + 1) });
    expect((await list()).map(({ id }) => id)).toEqual([abandoned]);
  });

  it("never lists the asker's own tasks, even if it looks dead", async () => {
    await register("self", before(DEAD_AFTER_MS + 1));
    await insertRunning({ owner: "self" });
    expect(await list()).toEqual([]);
    expect(await list("other")).toHaveLength(1);
  });

  it("lists running tasks of the asked type only", async () => {
    await register("dead", before(DEAD_AFTER_MS + 1));
    for (const status of ["pending", "succeeded", "failed", "cancelled"] as const) {
      await insertRunning({ owner: "dead", status });
    }
    await insertRunning({ owner: "dead", eventType: "test" });
    expect(await list()).toEqual([]);
  });

  it("lists at most 200 rows, those due first by number", async () => {
    await register("dead", before(DEAD_AFTER_MS + 1));
    const ids: string[] = [];
    for (let n = 0; n < 201; n++) ids.push(await insertRunning({ owner: "dead" }));
    expect((await list()).map(({ id }) => id)).toEqual(ids.slice(0, 200));
  });
});

describe("recycleTasks", () => {
  it("makes a task pending again with its due time and failures as they were, and counts the abandonment", async () => {
    const id = await insertRunning({ owner: null, updateTime: new Date(0), retryCount: 2, claimNo: 5, ip: "10.0.0.1" });
    const stored = await row(id);
    const recycled = await recycle(await list());
    expect(recycled).toEqual([expect.objectContaining({ id, runsAgain: true })]);
    expect(await row(id)).toEqual({
      ...stored,
      status: "pending",
      owner: null,
      ip: null,
      recycleCount: 1,
      updateTime: NOW,
    });
  });

  it("enters each abandonment into the history, with the dead owner and its claim", async () => {
    await register("dead", before(DEAD_AFTER_MS + 1));
    const id = await insertRunning({ owner: "dead", claimNo: 5, retryCount: 1 });
    await recycle(await list());
    expect(await attempts(id)).toEqual([
      expect.objectContaining({
        kind: "recycled",
        owner: "dead",
        claimNo: 5,
        retryCount: 1,
        detail: "recycled by self; abandonment 1 of 3",
        at: NOW,
      }),
    ]);
  });

  it("fails a task for good at its last abandonment, with the reason, and lets one before it run again", async () => {
    const again = await insertRunning({ owner: null, updateTime: new Date(0), recycleCount: 1 });
    const last = await insertRunning({ owner: null, updateTime: new Date(0), recycleCount: 2 });
    const recycled = await recycle(await list(), 3);
    expect(recycled.map(({ id, runsAgain }) => [id, runsAgain])).toEqual([
      [again, true],
      [last, false],
    ]);
    expect(await row(again)).toMatchObject({ status: "pending", recycleCount: 2, finishReason: null });
    expect(await row(last)).toMatchObject({
      status: "failed",
      recycleCount: 3,
      retryCount: 0,
      finishReason: "abandoned",
      nextRetryTime: NOW,
      finishedTime: NOW,
      lastError: "abandoned while running 3 times: its worker died or was cut off each time",
      errorFingerprint: "abandoned",
    });
    expect((await attempts(last))[0]?.detail).toBe("recycled by self; abandonment 3 of 3, failed for good");
  });

  it("fails a task that has no attempt left and lets one with its last attempt run again", async () => {
    const lastAttempt = await insertRunning({ owner: null, updateTime: new Date(0), retryCount: 2, maxRetryCount: 3 });
    const none = await insertRunning({ owner: null, updateTime: new Date(0), retryCount: 3, maxRetryCount: 3 });
    await recycle(await list());
    expect((await row(lastAttempt))?.status).toBe("pending");
    expect(await row(none)).toMatchObject({ status: "failed", finishReason: "abandoned", retryCount: 3 });
  });

  it("takes one task back once, though two recyclers have listed it", async () => {
    const id = await insertRunning({ owner: null, updateTime: new Date(0) });
    const listed = await list();
    expect(await recycle(listed)).toHaveLength(1);
    expect(await recycle(listed)).toEqual([]);
    expect((await row(id))?.recycleCount).toBe(1);
    expect(await attempts(id)).toHaveLength(1);
  });

  it("leaves a task alone whose claim has changed hands since it was listed", async () => {
    await register("dead", before(DEAD_AFTER_MS + 1));
    const id = await insertRunning({ owner: "dead" });
    const listed = await list();
    await inSession((session) => releaseTasks(session.at(NOW), "dead", [{ id, claimNo: 1 }]));
    await test.database.transaction((session) =>
      claimTasksById(session.at(NOW), { owner: "next", ip: "10.0.0.2" }, { eventType: "TEST", ids: [id] }),
    );
    const stored = await row(id);
    expect(stored).toMatchObject({ status: "running", owner: "next", claimNo: 2 });
    expect(await recycle(listed)).toEqual([]);
    expect(await row(id)).toEqual(stored);
    expect(await attempts(id)).toEqual([]);
  });

  it("leaves a task alone that foreign code has ended and grabbed anew since it was listed", async () => {
    const id = await insertRunning({ owner: null, claimNo: 0, updateTime: new Date(0) });
    const listed = await list();
    await test.pool.query("UPDATE t_retry_task SET status = 0 WHERE id = ?", [id]);
    await test.pool.query("UPDATE t_retry_task SET status = 3, ip = '10.0.0.7' WHERE id = ?", [id]);
    const stored = await row(id);
    expect(listed).toHaveLength(1);
    expect(await recycle(listed)).toEqual([]);
    expect(await row(id)).toEqual(stored);
  });

  it("leaves a task alone whose owner turned out to be alive and ended it", async () => {
    await register("dead", before(DEAD_AFTER_MS + 1));
    const id = await insertRunning({ owner: "dead" });
    const listed = await list();
    await inSession((session) => completeTasks(session, "dead", [{ id, claimNo: 1 }]));
    expect(await recycle(listed)).toEqual([]);
    expect((await row(id))?.status).toBe("succeeded");
  });

  it("does not wait for an owner that is ending its task at this moment, and leaves the task to it", async () => {
    await register("dead", before(DEAD_AFTER_MS + 1));
    const id = await insertRunning({ owner: "dead" });
    const other = await insertRunning({ owner: "dead" });
    const listed = await list();
    const held = await holdOpen(test.database, (session) => completeTasks(session, "dead", [{ id, claimNo: 1 }]));
    const recycled = await recycle(listed);
    await held.commit();
    expect(recycled.map((one) => one.id)).toEqual([other]);
    expect((await row(id))?.status).toBe("succeeded");
    expect((await row(other))?.status).toBe("pending");
  });

  it("does nothing for an empty list", async () => {
    expect(await recycle([])).toEqual([]);
  });
});
