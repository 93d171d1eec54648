import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TaskStatus } from "../schema/task-status.ts";
import type { Session } from "../session.ts";
import { insertTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { listTasks, listTasksByBizKey, type TaskCursor } from "./list-tasks.ts";

const DUE = new Date("2026-10-25T00:30:00.500Z");

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => inSession((session) => session.run("DELETE FROM t_retry_task")));

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);

/** Rows whose ids run from 950 on, so that they gain a digit on the way. */
async function insertMany(count: number, dueOf: (n: number) => Date): Promise<string[]> {
  return inSession(async (session) => {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      ids.push(await insertTaskRow(session, { id: String(950 + n), status: "failed", nextRetryTime: dueOf(n) }));
    }
    return ids;
  });
}

async function pages(
  limit: number,
  between: (page: number) => Promise<unknown> = async () => undefined,
  status: TaskStatus = "failed",
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: TaskCursor | undefined;
  for (let page = 0; ; page++) {
    const { items, nextCursor } = await inSession((session) =>
      listTasks(session, { eventType: "TEST", status, limit, cursor }),
    );
    ids.push(...items.map(({ id }) => id));
    if (!nextCursor) return ids;
    cursor = nextCursor;
    await between(page);
  }
}

describe("listTasks", () => {
  it("shows every row exactly once over pages, though all have the same time", async () => {
    const ids = await insertMany(120, () => DUE);
    expect(await pages(7)).toEqual([...ids].reverse());
  });

  it("shows the newest due first and, of equal ones, the highest id", async () => {
    const ids = await insertMany(90, (n) => new Date(DUE.getTime() + (n % 3)));
    const byTime = [2, 1, 0].flatMap((group) => ids.filter((_, n) => n % 3 === group).reverse());
    expect(await pages(10)).toEqual(byTime);
  });

  it("neither repeats nor skips rows that stay, while others arrive and leave", async () => {
    const ids = await insertMany(100, () => DUE);
    const leaving = new Set(ids.filter((_, n) => n % 10 === 5));
    const seen = await pages(8, (page) =>
      inSession(async (session) => {
        for (let n = 0; n < 5; n++) await insertTaskRow(session, { status: "failed", nextRetryTime: DUE });
        const [id] = [...leaving].slice(page);
        if (id !== undefined) await session.run(`UPDATE t_retry_task SET status = 0 WHERE id = ${id}`);
      }),
    );
    expect(new Set(seen).size).toBe(seen.length);
    const staying = ids.filter((id) => !leaving.has(id));
    expect(seen.filter((id) => staying.includes(id))).toEqual(staying.reverse());
  });

  it("says where the next page begins only if there is one", async () => {
    await insertMany(10, () => DUE);
    const list = (limit: number) =>
      inSession((session) => listTasks(session, { eventType: "TEST", status: "failed", limit }));
    expect((await list(9)).nextCursor).toEqual({ dueTime: test.zone.format(DUE), id: "951" });
    expect((await list(10)).nextCursor).toBeUndefined();
    expect((await list(0)).items).toHaveLength(1);
  });

  it("answers an empty page beyond the end", async () => {
    await insertMany(3, () => DUE);
    const beyond = { dueTime: test.zone.format(DUE), id: "950" };
    const page = await inSession((session) =>
      listTasks(session, { eventType: "TEST", status: "failed", limit: 5, cursor: beyond }),
    );
    expect(page).toEqual({ items: [], nextCursor: undefined });
  });

  it("shows one type in one status only", async () => {
    const [wanted] = await inSession(async (session) => {
      const id = await insertTaskRow(session, { status: "running" });
      await insertTaskRow(session, { status: "failed" });
      await insertTaskRow(session, { status: "running", eventType: "test" });
      return [id];
    });
    expect(await pages(10, undefined, "running")).toEqual([wanted]);
  });

  it("shows what a list needs, instants as instants and the head of a long error", async () => {
    const finishedTime = new Date("2026-10-25T01:30:00.001Z");
    await inSession((session) =>
      insertTaskRow(session, {
        status: "failed",
        bizKey: "order-1",
        retryCount: 2,
        recycleCount: 1,
        nextRetryTime: DUE,
        createTime: DUE,
        updateTime: finishedTime,
        finishedTime,
        finishReason: "exhausted",
        owner: "me",
        lastError: "é".repeat(500),
      }),
    );
    const { items } = await inSession((session) =>
      listTasks(session, { eventType: "TEST", status: "failed", limit: 5 }),
    );
    expect(items).toEqual([
      expect.objectContaining({
        bizKey: "order-1",
        status: "failed",
        retryCount: 2,
        maxRetryCount: 3,
        recycleCount: 1,
        nextRetryAt: DUE,
        createdAt: DUE,
        updatedAt: finishedTime,
        finishedAt: finishedTime,
        finishReason: "exhausted",
        owner: "me",
        errorHead: "é".repeat(200),
      }),
    ]);
  });
});

describe("listTasksByBizKey", () => {
  it("lists the tasks of every type with this key, by type", async () => {
    await inSession(async (session) => {
      for (const eventType of ["B", "A", "a"]) await insertTaskRow(session, { eventType, bizKey: "order-1" });
      await insertTaskRow(session, { eventType: "A", bizKey: "order-10" });
    });
    const found = await inSession((session) => listTasksByBizKey(session, "order-1"));
    expect(found.map(({ eventType }) => eventType)).toEqual(["A", "B", "a"]);
  });
});
