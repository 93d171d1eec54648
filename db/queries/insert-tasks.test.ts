import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sql } from "drizzle-orm";
import { isDuplicateKey } from "../mysql-errors.ts";
import type { Session } from "../session.ts";
import { readTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { findTaskIds } from "./find-task-id.ts";
import { insertTasks, laterBy, type NewTask } from "./insert-tasks.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => inSession((session) => session.run("DELETE FROM t_retry_task")));

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const newTask = (values: Partial<NewTask> = {}): NewTask => ({
  eventType: "TEST",
  bizKey: "key",
  bizContext: "{}",
  maxRetryCount: 3,
  retryStrategy: "FIXED",
  firstRetryIntervalSeconds: 10,
  due: { delayMs: 0 },
  ...values,
});
const insertOne = (values: Partial<NewTask> = {}) =>
  inSession(async (session) => {
    const { insertId } = await insertTasks(session.at(NOW), [newTask(values)]);
    return readTaskRow(session, String(insertId));
  });

describe("insertTasks", () => {
  it("creates a pending task that nobody owns and nobody has claimed", async () => {
    expect(await insertOne({ origin: "orders", traceParent: "00-trace", parentId: "9007199254740993" })).toMatchObject({
      eventType: "TEST",
      bizKey: "key",
      bizContext: "{}",
      status: "pending",
      retryCount: 0,
      recycleCount: 0,
      maxRetryCount: 3,
      retryStrategy: "FIXED",
      firstRetryInterval: 10,
      nextRetryTime: NOW,
      createTime: NOW,
      updateTime: NOW,
      owner: null,
      ip: null,
      claimNo: 0,
      startedTime: null,
      origin: "orders",
      traceParent: "00-trace",
      parentId: "9007199254740993",
    });
  });

  it("creates a task that is born claimed: running, claim 1, started now", async () => {
    expect(await insertOne({ claim: { owner: "me", ip: "10.0.0.1" } })).toMatchObject({
      status: "running",
      owner: "me",
      ip: "10.0.0.1",
      claimNo: 1,
      startedTime: NOW,
    });
  });

  it.each([
    ["after a delay", { delayMs: 1_500 }, new Date(NOW.getTime() + 1_500)],
    ["at an instant", { at: new Date("2026-11-01T05:59:59.999Z") }, new Date("2026-11-01T05:59:59.999Z")],
    ["in the past", { at: new Date("2001-09-09T01:46:40.001Z") }, new Date("2001-09-09T01:46:40.001Z")],
  ])("makes it due %s, to the millisecond", async (_, due, expected) => {
    expect((await insertOne({ due }))?.nextRetryTime).toEqual(expected);
  });

  it("keeps every character of a payload", async () => {
    const bizContext = JSON.stringify({ text: `'"\\ \n\u0000 💥 ${"ß".repeat(70_000)} ?` });
    expect((await insertOne({ bizContext }))?.bizContext === bizContext).toBe(true);
  });

  it("creates many with one statement, each under its own key", async () => {
    const keys = Array.from({ length: 120 }, (_, n) => `key-${n}`);
    const change = await inSession((session) =>
      insertTasks(
        session,
        keys.map((bizKey) => newTask({ bizKey })),
      ),
    );
    const found = await inSession((session) =>
      findTaskIds(
        session,
        keys.map((bizKey) => ({ eventType: "TEST", bizKey })),
      ),
    );
    expect(change.affectedRows).toBe(120);
    expect(new Set(found.map(({ id }) => id)).size).toBe(120);
    expect(found.map(({ id }) => BigInt(id)).sort((a, b) => (a < b ? -1 : 1))[0]).toBe(BigInt(change.insertId));
  });

  it("refuses a known key as a whole statement and leaves the rest of the transaction as it was", async () => {
    await inSession((session) => insertTasks(session, [newTask({ bizKey: "known" })]));
    await test.database.transaction(async (session) => {
      await insertTasks(session, [newTask({ bizKey: "earlier" })]);
      const refused = insertTasks(session, [newTask({ bizKey: "new" }), newTask({ bizKey: "known" })]);
      await expect(refused).rejects.toSatisfy(isDuplicateKey);
      await insertTasks(session, [newTask({ bizKey: "later" })]);
    });
    const rows = await inSession((session) =>
      session.rows<{ biz_key: string }>(sql`SELECT biz_key FROM t_retry_task ORDER BY biz_key`),
    );
    expect(rows.map((row) => row.biz_key)).toEqual(["earlier", "known", "later"]);
  });

  it("leaves nothing of a transaction that is rolled back", async () => {
    const failure = new Error("business failure");
    const work = test.database.transaction(async (session) => {
      await insertTasks(session, [newTask()]);
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await inSession((session) => findTaskIds(session, [{ eventType: "TEST", bizKey: "key" }]))).toEqual([]);
  });
});

describe("laterBy", () => {
  it.each([
    [0, 0],
    [1, 1],
    [-1, -1],
    [1.999, 1],
    [-1.999, -1],
    [86_400_000, 86_400_000],
  ])("%d ms is %d ms from now", async (ms, expected) => {
    const rows = await inSession((session) => {
      const fixed = session.at(NOW);
      return fixed.rows<{ at: string }>(sql`SELECT CAST(${laterBy(fixed, ms)} AS DATETIME(3)) AS at`);
    });
    expect(test.zone.parseInstant(String(rows[0]?.at)).getTime() - NOW.getTime()).toBe(expected);
  });
});
