import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { insertTaskRow, readTaskRow, type TaskRowValues } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import type { Claim } from "./claim-guard.ts";
import { cancelRunningTask, failTask, rescheduleTask, snoozeTask } from "./end-attempt.ts";
import { releaseTasks } from "./release-tasks.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");
const ERROR = { text: "Zahlung fehlgeschlagen: 💥", fingerprint: "0123456789abcdef" };
const RUNNING = {
  status: "running",
  owner: "me",
  ip: "10.0.0.1",
  claimNo: 4,
  retryCount: 2,
  recycleCount: 1,
  maxRetryCount: 5,
  startedTime: new Date("2026-10-25T00:29:00.000Z"),
  nextRetryTime: new Date("2026-10-25T00:28:00.000Z"),
} as const satisfies TaskRowValues;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const insert = (values: TaskRowValues) => inSession((session) => insertTaskRow(session, values));
const row = (id: string) => inSession((session) => readTaskRow(session, id));
const after = (ms: number) => new Date(NOW.getTime() + ms);

type End = (session: Session, owner: string, claim: Claim) => Promise<number>;
const reschedule: End = (session, owner, claim) =>
  rescheduleTask(session, owner, { ...claim, delayMs: 10_000, error: ERROR });
const fail: End = (session, owner, claim) =>
  failTask(session, owner, { ...claim, reason: "exhausted", counted: true, error: ERROR });
const snooze: End = (session, owner, claim) => snoozeTask(session, owner, { ...claim, delayMs: 10_000 });
const release: End = (session, owner, claim) => releaseTasks(session, owner, [claim]);
const releaseLater: End = (session, owner, claim) => releaseTasks(session, owner, [claim], 60_000);

describe.each([
  ["rescheduleTask", reschedule],
  ["failTask", fail],
  ["snoozeTask", snooze],
  ["cancelRunningTask", cancelRunningTask],
  ["releaseTasks", release],
  ["releaseTasks to later", releaseLater],
] as const)("%s", (_, end) => {
  it.each([
    ["another owner", { owner: "you" }],
    ["no owner", { owner: null }],
    ["an older claim number", { claimNo: 3 }],
    ["a newer claim number", { claimNo: 5 }],
    ["status pending", { status: "pending" }],
    ["status succeeded", { status: "succeeded" }],
    ["status failed", { status: "failed" }],
    ["status cancelled", { status: "cancelled" }],
  ] as const)("changes nothing of a row with %s", async (_, values) => {
    const id = await insert({ ...RUNNING, ...values });
    const before = await row(id);
    expect(await inSession((session) => end(session.at(NOW), "me", { id, claimNo: 4 }))).toBe(0);
    expect(await row(id)).toEqual(before);
  });

  it("changes nothing but its own row, once", async () => {
    const id = await insert(RUNNING);
    const neighbour = await insert(RUNNING);
    const before = await row(neighbour);
    expect(await inSession((session) => end(session.at(NOW), "me", { id, claimNo: 4 }))).toBe(1);
    const ended = await row(id);
    expect(await inSession((session) => end(session.at(after(5_000)), "me", { id, claimNo: 4 }))).toBe(0);
    expect(await row(id)).toEqual(ended);
    expect(await row(neighbour)).toEqual(before);
  });

  it("answers 0 for a task that is no longer in the table", async () => {
    const gone = { id: "9223372036854775806", claimNo: 4 };
    expect(await inSession((session) => end(session, "me", gone))).toBe(0);
  });
});

async function endOne(
  end: End,
): Promise<{ before: Awaited<ReturnType<typeof row>>; ended: Awaited<ReturnType<typeof row>> }> {
  const id = await insert(RUNNING);
  const before = await row(id);
  await inSession((session) => end(session.at(NOW), "me", { id, claimNo: 4 }));
  return { before, ended: await row(id) };
}

describe("what the end of an attempt writes", () => {
  it("a retry: pending, one more failure, due after the wait, the error kept, the claim number kept", async () => {
    const { before, ended } = await endOne(reschedule);
    expect(ended).toEqual({
      ...before,
      status: "pending",
      owner: null,
      ip: null,
      retryCount: 3,
      nextRetryTime: after(10_000),
      lastError: ERROR.text,
      errorFingerprint: ERROR.fingerprint,
      updateTime: NOW,
    });
  });

  it("a failure for good that was a failed call: one more failure, the reason, the error, its time in the due time's place", async () => {
    const { before, ended } = await endOne(fail);
    expect(ended).toEqual({
      ...before,
      status: "failed",
      retryCount: 3,
      finishReason: "exhausted",
      nextRetryTime: NOW,
      lastError: ERROR.text,
      errorFingerprint: ERROR.fingerprint,
      finishedTime: NOW,
      updateTime: NOW,
    });
  });

  it("a failure for good without a call: the count as it was", async () => {
    const { ended } = await endOne((session, owner, claim) =>
      failTask(session, owner, { ...claim, reason: "non_retryable", counted: false, error: ERROR }),
    );
    expect(ended).toMatchObject({ status: "failed", retryCount: 2, finishReason: "non_retryable" });
  });

  it("a snooze: pending and due after the wait, nothing counted", async () => {
    const { before, ended } = await endOne(snooze);
    expect(ended).toEqual({
      ...before,
      status: "pending",
      owner: null,
      ip: null,
      nextRetryTime: after(10_000),
      updateTime: NOW,
    });
  });

  it("a cancel: ended, nothing counted", async () => {
    const { before, ended } = await endOne(cancelRunningTask);
    expect(ended).toEqual({
      ...before,
      status: "cancelled",
      finishReason: "cancelled",
      finishedTime: NOW,
      updateTime: NOW,
    });
  });

  it("a release: pending as if it had never been started, counts and due time as they were", async () => {
    const { before, ended } = await endOne(release);
    expect(ended).toEqual({ ...before, status: "pending", owner: null, ip: null, startedTime: null, updateTime: NOW });
  });

  it("a release to later: the same, due after the wait", async () => {
    const { before, ended } = await endOne(releaseLater);
    expect(ended).toEqual({
      ...before,
      status: "pending",
      owner: null,
      ip: null,
      startedTime: null,
      nextRetryTime: after(60_000),
      updateTime: NOW,
    });
  });

  it.each([
    [0.9, 0],
    [1.9, 1],
    [86_400_000, 86_400_000],
  ])("a wait of %d ms is stored as %d whole milliseconds", async (delayMs, stored) => {
    const { ended } = await endOne((session, owner, claim) => snoozeTask(session, owner, { ...claim, delayMs }));
    expect(ended?.nextRetryTime).toEqual(after(stored));
  });
});

describe("releaseTasks", () => {
  it("gives a batch back and reports how many it still held", async () => {
    const first = await insert(RUNNING);
    const second = await insert({ ...RUNNING, claimNo: 1 });
    const lost = await insert({ ...RUNNING, owner: "you" });
    const claims = [
      { id: first, claimNo: 4 },
      { id: second, claimNo: 1 },
      { id: lost, claimNo: 4 },
    ];
    expect(await inSession((session) => releaseTasks(session, "me", claims))).toBe(2);
    expect([(await row(first))?.status, (await row(second))?.status, (await row(lost))?.status]).toEqual([
      "pending",
      "pending",
      "running",
    ]);
  });

  it("changes nothing for no claims", async () => {
    expect(await inSession((session) => releaseTasks(session, "me", []))).toBe(0);
  });
});
