import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STATUS_CODE } from "../schema/task-status.ts";
import type { Session } from "../session.ts";
import { insertTaskRow, readTaskRow, type TaskRowValues } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { cancelTask } from "./cancel-task.ts";
import { claimTasksById } from "./claim-tasks.ts";
import { editTask, payloadHash } from "./edit-task.ts";
import { insertAudit } from "./insert-audit.ts";
import { listObjectAudit, readAuditDetail } from "./list-object-audit.ts";
import { type ResetTrace, resetTask } from "./reset-task.ts";
import { runTaskNow } from "./run-task-now.ts";
import { describeTask, listAttempts, listRoundMarks, readTaskPayload } from "./show-task.ts";
import { undoReset } from "./undo-reset.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");
const LATER = new Date("2026-10-25T00:30:04.000Z");
const ACTOR = "ada";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const insert = (values: TaskRowValues) => inSession((session) => insertTaskRow(session, values));
const row = (id: string) => inSession((session) => readTaskRow(session, id));
const attempts = (id: string) => inSession((session) => listAttempts(session, id));
const kinds = async (id: string) => (await attempts(id)).map(({ kind }) => kind);
const at = <Result>(now: Date, work: (session: Session) => Promise<Result>) =>
  test.database.transaction((session) => work(session.at(now)));
const claim = (id: string, eventType = "TEST") =>
  at(LATER, (session) => claimTasksById(session, { owner: "w-2", ip: "10.0.0.2" }, { eventType, ids: [id] }));

const FAILED = {
  status: "failed",
  retryCount: 3,
  recycleCount: 2,
  claimNo: 5,
  owner: "w-1",
  ip: "10.0.0.1",
  lastError: "boom",
  errorFingerprint: "f",
  finishReason: "exhausted",
  startedTime: new Date("2026-10-20T00:00:00.001Z"),
  finishedTime: new Date("2026-10-20T00:00:01.002Z"),
  nextRetryTime: new Date("2026-10-19T00:00:00.003Z"),
  updateTime: new Date("2026-10-20T00:00:01.002Z"),
} as const satisfies TaskRowValues;
const SEEN = { status: STATUS_CODE.failed, claimNo: 5 };
const EVERY_OTHER_STATUS = ["pending", "running", "succeeded", "cancelled"] as const;

async function resetOnce(id: string): Promise<ResetTrace> {
  const verdict = await at(NOW, (session) => resetTask(session, { id, actor: ACTOR }));
  if (verdict.outcome !== "done") throw new Error(`not reset: ${verdict.outcome}`);
  return verdict.trace;
}

describe("resetTask with what the person saw (C4)", () => {
  it("makes it due when asked for, by the database's clock or at an instant", async () => {
    const [soon, then] = [await insert(FAILED), await insert(FAILED)];
    await at(NOW, (session) => resetTask(session, { id: soon, actor: ACTOR, due: { delayMs: 600_000 } }));
    const instant = new Date("2026-11-01T08:00:00.250Z");
    await at(NOW, (session) => resetTask(session, { id: then, actor: ACTOR, due: { at: instant } }));
    expect((await row(soon))?.nextRetryTime).toEqual(new Date(NOW.getTime() + 600_000));
    expect((await row(then))?.nextRetryTime).toEqual(instant);
  });

  it.each(EVERY_OTHER_STATUS)("changes nothing of a task that is %s by now", async (status) => {
    const id = await insert({ ...FAILED, status });
    const before = await row(id);
    const verdict = await at(NOW, (session) => resetTask(session, { id, actor: ACTOR, seen: SEEN }));
    expect(verdict).toEqual({ outcome: "not_failed", status: STATUS_CODE[status] });
    expect(await row(id)).toEqual(before);
    expect(await attempts(id)).toEqual([]);
  });

  it("changes nothing of a task that was reset, ran and failed again since", async () => {
    const id = await insert({ ...FAILED, claimNo: 8 });
    const before = await row(id);
    const verdict = await at(NOW, (session) => resetTask(session, { id, actor: ACTOR, seen: SEEN }));
    expect(verdict).toEqual({ outcome: "changed", status: STATUS_CODE.failed });
    expect(await row(id)).toEqual(before);
  });

  it("lets one of two operators win, with one entry", async () => {
    const id = await insert(FAILED);
    const press = () => test.database.transaction((session) => resetTask(session, { id, actor: ACTOR, seen: SEEN }));
    const verdicts = await Promise.all([press(), press()]);
    expect(verdicts.map(({ outcome }) => outcome).sort()).toEqual(["done", "not_failed"]);
    expect(await kinds(id)).toEqual(["reset"]);
  });
});

describe("undoReset", () => {
  const undo = (id: string, trace: ResetTrace) =>
    at(LATER, (session) => undoReset(session, { id, actor: "bob", trace }));

  it("restores status, counts and times exactly, and says who did", async () => {
    const id = await insert(FAILED);
    const before = await row(id);
    const trace = await resetOnce(id);
    expect(await undo(id, trace)).toEqual({ outcome: "done" });
    expect(await row(id)).toEqual({ ...before, updateTime: LATER });
    expect(await kinds(id)).toEqual(["undone", "reset"]);
    expect((await attempts(id))[0]).toMatchObject({ actor: "bob", retryCount: 3, claimNo: 5 });
  });

  it("comes too late once a worker has claimed it", async () => {
    const id = await insert(FAILED);
    const trace = await resetOnce(id);
    expect(await claim(id)).toHaveLength(1);
    const running = await row(id);
    expect(await undo(id, trace)).toEqual({ outcome: "too_late", status: STATUS_CODE.running });
    expect(await row(id)).toEqual(running);
  });

  it("comes too late once a worker has claimed it and given it back", async () => {
    const id = await insert(FAILED);
    const trace = await resetOnce(id);
    await claim(id);
    await test.pool.query("UPDATE t_retry_task SET status = 0, owner = NULL WHERE id = ?", [id]);
    expect(await undo(id, trace)).toEqual({ outcome: "too_late", status: STATUS_CODE.pending });
  });

  it("comes too late once somebody else has reset it, cancelled it or made it due", async () => {
    const id = await insert(FAILED);
    const first = await resetOnce(id);
    expect(await undo(id, first)).toEqual({ outcome: "done" });
    await at(LATER, (session) => resetTask(session, { id, actor: ACTOR }));
    expect(await undo(id, first)).toEqual({ outcome: "too_late", status: STATUS_CODE.pending });
    await at(LATER, (session) => cancelTask(session, { id, actor: ACTOR }));
    expect(await undo(id, first)).toEqual({ outcome: "too_late", status: STATUS_CODE.cancelled });
  });

  it("is one undo if pressed twice", async () => {
    const id = await insert(FAILED);
    const trace = await resetOnce(id);
    const verdicts = await Promise.all([undo(id, trace), undo(id, trace)]);
    expect(verdicts.map(({ outcome }) => outcome).sort()).toEqual(["done", "too_late"]);
    expect(await kinds(id)).toEqual(["undone", "reset"]);
  });

  it("does not put back a row that foreign code had left running", async () => {
    const id = await insert({ status: "running", owner: null, retryCount: 3, maxRetryCount: 3 });
    const trace = await resetOnce(id);
    expect(await undo(id, trace)).toEqual({ outcome: "too_late", status: STATUS_CODE.pending });
  });

  it("tells that the task has left the table", async () => {
    const id = await insert(FAILED);
    const trace = await resetOnce(id);
    await test.pool.query("DELETE FROM t_retry_task WHERE id = ?", [id]);
    expect(await undo(id, trace)).toEqual({ outcome: "not_found" });
  });
});

describe("runTaskNow", () => {
  const run = (id: string) => at(NOW, (session) => runTaskNow(session, { id, actor: ACTOR, reason: "urgent" }));
  const inAnHour = new Date(NOW.getTime() + 3_600_000);

  it("makes a waiting task due and keeps its counts", async () => {
    const id = await insert({ retryCount: 2, claimNo: 2, nextRetryTime: inAnHour });
    const before = await row(id);
    expect(await run(id)).toEqual({ outcome: "done" });
    expect(await row(id)).toEqual({ ...before, nextRetryTime: NOW, updateTime: NOW });
    expect(await attempts(id)).toEqual([
      expect.objectContaining({ kind: "run_now", actor: ACTOR, detail: "urgent", retryCount: 2, claimNo: 2 }),
    ]);
  });

  it("leaves the due time of a task that is due: bringing it forward would put it behind others", async () => {
    const id = await insert({ nextRetryTime: new Date(NOW.getTime() - 60_000) });
    const before = await row(id);
    expect(await run(id)).toEqual({ outcome: "already_due" });
    expect(await row(id)).toEqual(before);
  });

  it.each(["running", "succeeded", "failed", "cancelled"] as const)(
    "changes nothing of a task that is %s",
    async (status) => {
      const id = await insert({ status, owner: "w-1", claimNo: 1, nextRetryTime: inAnHour });
      const before = await row(id);
      expect(await run(id)).toEqual({ outcome: "not_pending", status: STATUS_CODE[status] });
      expect(await row(id)).toEqual(before);
    },
  );

  it("tells that there is no such task", async () => {
    expect(await run("9223372036854775806")).toEqual({ outcome: "not_found" });
  });
});

describe("cancelTask with what the person saw", () => {
  it("leaves a task alone that was reset meanwhile", async () => {
    const id = await insert(FAILED);
    await resetOnce(id);
    const before = await row(id);
    const verdict = await at(LATER, (session) => cancelTask(session, { id, actor: ACTOR, seen: SEEN }));
    expect(verdict).toEqual({ outcome: "changed", status: STATUS_CODE.pending });
    expect(await row(id)).toEqual(before);
  });
});

describe("editTask", () => {
  const OLD = '{"amount":"1", "id":1970670598291982290, "note":"é\u{1F600}"}';
  const NEW = '{"amount":"2", "note":"it\'s ? \u{1F600}"}';
  const edit = (id: string, changes: Partial<Parameters<typeof editTask>[1]> = {}) =>
    at(NOW, (session) =>
      editTask(session, {
        id,
        bizContext: NEW,
        basedOn: payloadHash(OLD),
        actor: ACTOR,
        reason: "wrong amount",
        seen: SEEN,
        ...changes,
      }),
    );

  it("stores the new payload byte for byte and starts the task anew, with both in its history", async () => {
    const id = await insert({ ...FAILED, bizContext: OLD });
    expect(await edit(id)).toMatchObject({ outcome: "done" });
    expect(await row(id)).toMatchObject({ bizContext: NEW, status: "pending", retryCount: 0, nextRetryTime: NOW });
    expect(await kinds(id)).toEqual(["reset", "edited"]);
  });

  it.each(EVERY_OTHER_STATUS)("changes nothing of a task that is %s", async (status) => {
    const id = await insert({ ...FAILED, status, bizContext: OLD });
    const before = await row(id);
    expect(await edit(id)).toEqual({ outcome: "not_failed", status: STATUS_CODE[status] });
    expect(await row(id)).toEqual(before);
    expect(await attempts(id)).toEqual([]);
  });

  it.each([
    ["whose payload somebody changed since", { basedOn: payloadHash(`${OLD} `) }],
    ["that ran since", { seen: { ...SEEN, claimNo: 4 } }],
  ])("changes nothing of a task %s", async (_, changes) => {
    const id = await insert({ ...FAILED, bizContext: OLD });
    const before = await row(id);
    expect(await edit(id, changes)).toEqual({ outcome: "changed", status: STATUS_CODE.failed });
    expect(await row(id)).toEqual(before);
    expect(await attempts(id)).toEqual([]);
  });
});

describe("what a task's page reads", () => {
  it("describes a task by all but its payload", async () => {
    const id = await insert({ ...FAILED, bizContext: '"é"' });
    const described = await inSession((session) => describeTask(session, id));
    expect(described).toMatchObject({ id, payloadBytes: 4, claimNo: 5, lastError: "boom" });
    expect(described).not.toHaveProperty("bizContext");
    expect(await inSession((session) => describeTask(session, "9223372036854775806"))).toBeUndefined();
  });

  it("reads a payload up to a length and tells the length of a longer one", async () => {
    const id = await insert({ bizContext: '"é"' });
    const read = (bytesMax: number) => inSession((session) => readTaskPayload(session, id, bytesMax));
    expect(await read(4)).toEqual({ eventType: "TEST", bytes: 4, text: '"é"' });
    expect(await read(3)).toEqual({ eventType: "TEST", bytes: 4, text: undefined });
  });

  it("pages through a history without repeating or losing an entry, and finds where rounds begin", async () => {
    const id = await insert(FAILED);
    const trace = await resetOnce(id);
    await at(LATER, (session) => undoReset(session, { id, actor: ACTOR, trace }));
    await resetOnce(id);
    const [first, ...rest] = await inSession((session) => listAttempts(session, id, 1));
    expect(rest).toEqual([]);
    const older = await inSession((session) => listAttempts(session, id, 10, first?.id));
    expect([first, ...older].map((entry) => entry?.kind)).toEqual(["reset", "undone", "reset"]);
    const marks = await inSession((session) => listRoundMarks(session, id));
    expect(marks.map(({ kind }) => kind)).toEqual(["reset", "undone", "reset"]);
    expect(marks[2]?.id).toBe(first?.id);
  });

  it("lists what was done to one object, and finds the detail of one action", async () => {
    const entry = { actor: ACTOR, actorKind: "person", objectKind: "task", result: "ok" } as const;
    await inSession(async (session) => {
      await insertAudit(session, {
        ...entry,
        action: "task.reset",
        objectId: "7",
        correlation: "c1",
        detail: { n: 1 },
      });
      await insertAudit(session, { ...entry, action: "task.cancel", objectId: "7", reason: "obsolete" });
      await insertAudit(session, { ...entry, action: "task.cancel", objectId: "8" });
    });
    const list = await inSession((session) => listObjectAudit(session, { kind: "task", id: "7" }, 10));
    expect(list.map(({ action, reason }) => [action, reason])).toEqual([
      ["task.cancel", "obsolete"],
      ["task.reset", undefined],
    ]);
    const sought = { action: "task.reset", objectKind: "task", objectId: "7" };
    const detail = (correlation: string) =>
      inSession((session) => readAuditDetail(session, { ...sought, correlation }));
    expect(await detail("c1")).toEqual({ n: 1 });
    expect(await detail("c2")).toBeUndefined();
  });
});
