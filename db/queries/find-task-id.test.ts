import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { atRepeatableRead } from "../testing/locks.ts";
import { insertTaskRow, readTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { claimTasksById } from "./claim-tasks.ts";
import { findNewestTask, findTaskIds, insertedIds, readTaskTypes } from "./find-task-id.ts";
import { insertTasks } from "./insert-tasks.ts";
import { listTasksByBizKey } from "./list-tasks.ts";
import { resetTask } from "./reset-task.ts";

/** Pairs that a collation for people takes for the same text. */
const LOOKALIKES: readonly (readonly [what: string, one: string, other: string])[] = [
  ["case", "Order-1", "order-1"],
  ["an accent", "resume", "résumé"],
  ["a trailing blank", "abc", "abc "],
  ["ß and ss", "strasse", "straße"],
  ["composed and decomposed letters", "caf\u00e9", "cafe\u0301"],
  ["the emoji", "🍏", "🍎"],
  ["full width digits", "1", "１"],
  ["a tab at the end", "abc\t", "abc"],
];

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => inSession((session) => session.run("DELETE FROM t_retry_task")));

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const find = (eventType: string, bizKey: string) =>
  inSession(async (session) => (await findTaskIds(session, [{ eventType, bizKey }])).map(({ id }) => id));

describe.each(LOOKALIKES)("keys that differ in %s", (_, one, other) => {
  it("are two tasks, each found under exactly its own key", async () => {
    const [first, second] = await inSession(async (session) => [
      await insertTaskRow(session, { bizKey: one, status: "failed" }),
      await insertTaskRow(session, { bizKey: other, status: "failed" }),
    ]);
    expect(await find("TEST", one)).toEqual([first]);
    expect(await find("TEST", other)).toEqual([second]);
    const listed = await inSession((session) => listTasksByBizKey(session, one));
    expect(listed.map(({ id, bizKey }) => [id, bizKey])).toEqual([[first, one]]);
  });

  it("as event types are two types, found, claimed and reset apart", async () => {
    const [first = "", second = ""] = await inSession(async (session) => [
      await insertTaskRow(session, { eventType: one, bizKey: "same" }),
      await insertTaskRow(session, { eventType: other, bizKey: "same", status: "failed" }),
    ]);
    expect(await find(one, "same")).toEqual([first]);
    const claimed = await test.database.transaction((session) =>
      claimTasksById(session, { owner: "me", ip: "10.0.0.1" }, { eventType: one, ids: [first, second] }),
    );
    expect(claimed.map(({ id, eventType }) => [id, eventType])).toEqual([[first, one]]);
    const untouched = await inSession((session) => readTaskRow(session, first));
    await test.database.transaction((session) => resetTask(session, { id: second, actor: "ada" }));
    expect(await inSession((session) => readTaskRow(session, first))).toEqual(untouched);
    expect((await inSession((session) => readTaskRow(session, second)))?.status).toBe("pending");
  });
});

describe("findTaskIds", () => {
  it("finds each of many keys, with its status, and nothing for a key that is not there", async () => {
    const keys = Array.from({ length: 150 }, (_, n) => ({ eventType: `T${n % 3}`, bizKey: `key-${n}` }));
    await inSession(async (session) => {
      for (const [n, key] of keys.entries()) {
        await insertTaskRow(session, { ...key, status: n % 2 === 0 ? "running" : "succeeded" });
      }
    });
    const found = await inSession((session) => findTaskIds(session, [...keys, { eventType: "T0", bizKey: "none" }]));
    expect(new Map(found.map((one) => [one.bizKey, one.status]))).toEqual(
      new Map(keys.map(({ bizKey }, n) => [bizKey, n % 2 === 0 ? "running" : "succeeded"])),
    );
  });

  it("does not take one key's type for another's", async () => {
    await inSession(async (session) => {
      await insertTaskRow(session, { eventType: "A", bizKey: "1" });
      await insertTaskRow(session, { eventType: "B", bizKey: "2" });
    });
    const crossed = [
      { eventType: "B", bizKey: "1" },
      { eventType: "A", bizKey: "2" },
    ];
    expect(await inSession((session) => findTaskIds(session, crossed))).toEqual([]);
  });

  it("finds nothing for no keys", async () => {
    expect(await inSession((session) => findTaskIds(session, []))).toEqual([]);
  });
});

describe("insertedIds", () => {
  const keys = ["a", "b", "c"].map((bizKey) => ({ eventType: "T", bizKey }));
  const rows = keys.map((key) => ({
    ...key,
    bizContext: "{}",
    maxRetryCount: 3,
    retryStrategy: "FIXED",
    firstRetryIntervalSeconds: 10,
    due: { delayMs: 0 },
  }));

  it.each([1, 7])("tells the ids of one insert where the server counts in steps of %i", async (step) => {
    const [told, found] = await inSession(async (session) => {
      await session.run(`SET SESSION auto_increment_increment = ${step}`);
      try {
        const { insertId } = await insertTasks(session, rows);
        return [await insertedIds(session, String(insertId), keys), await findTaskIds(session, keys)];
      } finally {
        await session.run("SET SESSION auto_increment_increment = 1");
      }
    });
    expect(told).toEqual(keys.map(({ bizKey }) => found.find((row) => row.bizKey === bizKey)?.id));
    expect(new Set(told).size).toBe(keys.length);
  });

  it("tells nothing if the last row is not where the first id puts it", async () => {
    const told = await inSession(async (session) => {
      const { insertId } = await insertTasks(session, rows);
      return [
        await insertedIds(session, String(BigInt(insertId) + 1n), keys),
        await insertedIds(session, String(insertId), [...keys, { eventType: "T", bizKey: "never inserted" }]),
      ];
    });
    expect(told).toEqual([undefined, undefined]);
  });
});

describe("findNewestTask", () => {
  it("sees a task that was committed after a REPEATABLE READ transaction took its snapshot", async () => {
    const key = { eventType: "TEST", bizKey: "late" };
    const found = await atRepeatableRead(test).transaction(async (session) => {
      await session.rows(sql`SELECT COUNT(*) AS n FROM t_retry_task`);
      await inSession((other) => insertTaskRow(other, key));
      return { inSnapshot: await findTaskIds(session, [key]), newest: await findNewestTask(session, key) };
    });
    expect(found).toMatchObject({ inSnapshot: [], newest: { bizKey: "late", status: "pending" } });
  });
});

describe("readTaskTypes", () => {
  it("tells the type of each task that is in the table, beyond one batch of ids", async () => {
    const ids = await inSession(async (session) => {
      const inserted: string[] = [];
      for (let n = 0; n < 205; n++) inserted.push(await insertTaskRow(session, { eventType: `T${n % 4}` }));
      return inserted;
    });
    const types = await inSession((session) => readTaskTypes(session, [...ids, "9223372036854775806"]));
    expect([...types]).toEqual(ids.map((id, n) => [id, `T${n % 4}`]));
  });
});
