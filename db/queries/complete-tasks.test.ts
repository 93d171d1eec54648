import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { holdOpen } from "../testing/locks.ts";
import { insertTaskRow, readTaskRow, type TaskRowValues } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { completeTasks, lockFreeClaims } from "./complete-tasks.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const insert = (values: TaskRowValues) => inSession((session) => insertTaskRow(session, values));
const row = (id: string) => inSession((session) => readTaskRow(session, id));
const running = { status: "running", owner: "me", ip: "10.0.0.1", claimNo: 1 } as const;

describe("completeTasks", () => {
  it("ends claims of several claim numbers in one statement and keeps everything else of the row", async () => {
    const first = await insert({ ...running, retryCount: 2 });
    const second = await insert({ ...running, claimNo: 5, recycleCount: 1 });
    const before = await row(first);
    const changed = await inSession((session) =>
      completeTasks(session.at(NOW), "me", [
        { id: second, claimNo: 5 },
        { id: first, claimNo: 1 },
      ]),
    );
    expect(changed).toBe(2);
    expect(await row(first)).toEqual({
      ...before,
      status: "succeeded",
      finishReason: "success",
      finishedTime: NOW,
      updateTime: NOW,
    });
    expect(await row(second)).toMatchObject({ status: "succeeded", claimNo: 5, recycleCount: 1 });
  });

  it("tells a skipped task from one that ran", async () => {
    const id = await insert(running);
    await inSession((session) => completeTasks(session, "me", [{ id, claimNo: 1 }], "skipped"));
    expect(await row(id)).toMatchObject({ status: "succeeded", finishReason: "skipped" });
  });

  it.each([
    ["the owner is another", { owner: "you" }],
    ["the owner differs in case only", { owner: "ME" }],
    ["the row has no owner", { owner: null }],
    ["the claim is an older one", { claimNo: 2 }],
    ["the claim is a newer one", { claimNo: 0 }],
    ["the task is pending", { status: "pending" }],
    ["the task has succeeded", { status: "succeeded" }],
    ["the task has failed", { status: "failed" }],
    ["the task is cancelled", { status: "cancelled" }],
  ] as const)("changes nothing if %s, and ends the others of the batch", async (_, values) => {
    const lost = await insert({ ...running, ...values });
    const held = await insert(running);
    const before = await row(lost);
    const changed = await inSession((session) =>
      completeTasks(session.at(NOW), "me", [
        { id: lost, claimNo: 1 },
        { id: held, claimNo: 1 },
      ]),
    );
    expect(changed).toBe(1);
    expect(await row(lost)).toEqual(before);
    expect((await row(held))?.status).toBe("succeeded");
  });

  it("does not take one task's claim number for another's", async () => {
    const first = await insert({ ...running, claimNo: 1 });
    const second = await insert({ ...running, claimNo: 2 });
    const swapped = [
      { id: first, claimNo: 2 },
      { id: second, claimNo: 1 },
    ];
    expect(await inSession((session) => completeTasks(session, "me", swapped))).toBe(0);
    expect([(await row(first))?.status, (await row(second))?.status]).toEqual(["running", "running"]);
  });

  it("changes nothing for no claims", async () => {
    expect(await inSession((session) => completeTasks(session, "me", []))).toBe(0);
  });
});

describe("lockFreeClaims", () => {
  it("names the claims that are still held and whose rows nobody keeps locked, and waits for none", async () => {
    const locked = await insert(running);
    const lost = await insert({ ...running, claimNo: 2 });
    const free = await insert(running);
    const claims = [free, locked, lost].map((id) => ({ id, claimNo: 1 }));
    const held = await holdOpen(test.database, (session) =>
      session.rows(sql`SELECT id FROM t_retry_task WHERE id = ${locked} FOR UPDATE`),
    );
    const named = await test.database.transaction((session) => lockFreeClaims(session, "me", claims));
    await held.commit();
    expect([...named]).toEqual([free]);
    const afterwards = await test.database.transaction((session) => lockFreeClaims(session, "me", claims));
    expect([...afterwards].sort()).toEqual([free, locked].sort());
  });
});
