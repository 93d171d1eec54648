import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { insertTaskRow, readTaskRow, type TaskRowValues } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { STATUS_CODE } from "../schema/task-status.ts";
import { cancelTask } from "./cancel-task.ts";
import { resetTask } from "./reset-task.ts";
import { listAttempts } from "./show-task.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const insert = (values: TaskRowValues) => inSession((session) => insertTaskRow(session, values));
const row = (id: string) => inSession((session) => readTaskRow(session, id));
const attempts = (id: string) => inSession((session) => listAttempts(session, id));
const reset = (id: string) =>
  test.database.transaction((session) => resetTask(session.at(NOW), { id, actor: "ada", reason: "fixed upstream" }));
const cancel = (id: string) =>
  test.database.transaction((session) => cancelTask(session.at(NOW), { id, actor: "ada", reason: "obsolete" }));

const FAILED = {
  status: "failed",
  retryCount: 3,
  recycleCount: 2,
  claimNo: 5,
  owner: "me",
  ip: "10.0.0.1",
  lastError: "boom",
  errorFingerprint: "f",
  finishReason: "exhausted",
  startedTime: new Date("2026-10-20T00:00:00Z"),
  finishedTime: new Date("2026-10-20T00:00:01Z"),
  nextRetryTime: new Date("2026-10-19T00:00:00Z"),
} as const satisfies TaskRowValues;
const STUCK_FOREIGN = { status: "running", owner: null, retryCount: 3, maxRetryCount: 3 } as const;

describe("resetTask", () => {
  it("starts a failed task anew: due now, counts 0, its claim number and last error kept", async () => {
    const id = await insert(FAILED);
    const before = await row(id);
    expect(await reset(id)).toMatchObject({ outcome: "done" });
    expect(await row(id)).toEqual({
      ...before,
      status: "pending",
      owner: null,
      ip: null,
      retryCount: 0,
      recycleCount: 0,
      nextRetryTime: NOW,
      finishReason: null,
      startedTime: null,
      finishedTime: null,
      updateTime: NOW,
    });
  });

  it("enters who did it, why, and the counts it wiped", async () => {
    const id = await insert(FAILED);
    await reset(id);
    expect(await attempts(id)).toEqual([
      expect.objectContaining({
        kind: "reset",
        actor: "ada",
        detail: "fixed upstream",
        retryCount: 3,
        claimNo: 5,
        at: NOW,
      }),
    ]);
  });

  it("starts a row anew that foreign code left running at its limit", async () => {
    const id = await insert(STUCK_FOREIGN);
    expect(await reset(id)).toMatchObject({ outcome: "done" });
    expect(await row(id)).toMatchObject({ status: "pending", retryCount: 0 });
  });

  it.each([
    ["pending", { status: "pending" }],
    ["succeeded", { status: "succeeded" }],
    ["cancelled", { status: "cancelled" }],
    ["running under a claim", { status: "running", owner: "me", claimNo: 1 }],
    ["running under a claim at its limit", { ...STUCK_FOREIGN, owner: "me" }],
    ["running in foreign hands with an attempt left", { ...STUCK_FOREIGN, retryCount: 2 }],
  ] as const)("changes nothing of a task that is %s, and tells its status", async (_, values) => {
    const id = await insert(values);
    const before = await row(id);
    expect(await reset(id)).toEqual({ outcome: "not_failed", status: STATUS_CODE[values.status] });
    expect(await row(id)).toEqual(before);
    expect(await attempts(id)).toEqual([]);
  });

  it("takes two presses for one reset", async () => {
    const id = await insert(FAILED);
    const verdicts = await Promise.all([reset(id), reset(id)]);
    expect(verdicts.map(({ outcome }) => outcome).sort()).toEqual(["done", "not_failed"]);
    expect(await attempts(id)).toHaveLength(1);
  });

  it("tells that there is no such task", async () => {
    expect(await reset("9223372036854775806")).toEqual({ outcome: "not_found" });
  });
});

describe("cancelTask", () => {
  it.each(["pending", "failed"] as const)("ends a task that is %s and says so in its history", async (status) => {
    const id = await insert({ ...FAILED, status });
    const before = await row(id);
    expect(await cancel(id)).toEqual({ outcome: "done" });
    expect(await row(id)).toEqual({
      ...before,
      status: "cancelled",
      finishReason: "cancelled",
      finishedTime: NOW,
      updateTime: NOW,
    });
    expect(await attempts(id)).toEqual([
      expect.objectContaining({ kind: "cancelled", actor: "ada", detail: "obsolete", retryCount: 3, claimNo: 5 }),
    ]);
  });

  it.each(["running", "succeeded", "cancelled"] as const)("changes nothing of a task that is %s", async (status) => {
    const id = await insert({ status, owner: "me", claimNo: 1 });
    const before = await row(id);
    expect(await cancel(id)).toEqual({ outcome: "not_waiting", status: STATUS_CODE[status] });
    expect(await row(id)).toEqual(before);
    expect(await attempts(id)).toEqual([]);
  });

  it("tells that there is no such task", async () => {
    expect(await cancel("9223372036854775806")).toEqual({ outcome: "not_found" });
  });
});
