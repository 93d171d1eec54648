import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { ARTICLE_INSERT } from "../testing/article-table.ts";
import { insertTaskRow, readTaskRow, type TaskRowValues } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { BATCH_ROWS_MAX, claimDueTasks, claimTasksById } from "./claim-tasks.ts";
import { readPayload } from "./owned-tasks.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");
const CLAIMER = { owner: "worker-1", ip: "10.0.0.1" };
const after = (ms: number) => new Date(NOW.getTime() + ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => test.database.use((session) => session.run("DELETE FROM t_retry_task")));

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const insert = (values: TaskRowValues) => inSession((session) => insertTaskRow(session, values));
const row = (id: string) => inSession((session) => readTaskRow(session, id));
const claim = (params: { limit?: number; dueFrom?: string; eventType?: string } = {}) =>
  test.database.transaction((session) =>
    claimDueTasks(session.at(NOW), CLAIMER, { eventType: "TEST", limit: 10, ...params }),
  );
const claimById = (ids: readonly string[]) =>
  test.database.transaction((session) => claimTasksById(session.at(NOW), CLAIMER, { eventType: "TEST", ids }));

describe("claimDueTasks", () => {
  it("takes a task that is due at this millisecond and leaves one that is due a millisecond later", async () => {
    const due = await insert({ nextRetryTime: NOW });
    const later = await insert({ nextRetryTime: after(1) });
    const before = await row(later);
    expect((await claim()).map(({ id }) => id)).toEqual([due]);
    expect(await row(later)).toEqual(before);
  });

  it("takes only pending tasks, only of its own type, whatever the case of the name", async () => {
    const kept: string[] = [];
    for (const status of ["succeeded", "failed", "running", "cancelled"] as const) {
      kept.push(await insert({ status, nextRetryTime: NOW }));
    }
    for (const eventType of ["test", "TEST ", "TESTS", "TÉST"]) {
      kept.push(await insert({ eventType, nextRetryTime: NOW }));
    }
    const wanted = await insert({ nextRetryTime: NOW });
    const before = await Promise.all(kept.map(row));
    expect((await claim()).map(({ id }) => id)).toEqual([wanted]);
    expect(await Promise.all(kept.map(row))).toEqual(before);
  });

  it("takes the oldest due first and, of equal ones, the smallest id as a number", async () => {
    for (const id of ["9", "10", "11", "100"]) await insert({ id, nextRetryTime: NOW });
    await insert({ id: "200", nextRetryTime: after(-1) });
    expect((await claim({ limit: 3 })).map(({ id }) => id)).toEqual(["200", "9", "10"]);
    expect((await claim({ limit: 3 })).map(({ id }) => id)).toEqual(["11", "100"]);
  });

  it("writes owner, address, the next claim number and the start, and keeps counts and due time", async () => {
    const nextRetryTime = after(-5_000);
    const id = await insert({ nextRetryTime, claimNo: 7, retryCount: 2, recycleCount: 1, lastError: "earlier" });
    const before = await row(id);
    const [claimed] = await claim();
    expect(claimed).toMatchObject({ id, claimNo: 8, retryCount: 2, recycleCount: 1, maxRetryCount: 3 });
    expect(await row(id)).toEqual({
      ...before,
      status: "running",
      owner: "worker-1",
      ip: "10.0.0.1",
      claimNo: 8,
      startedTime: NOW,
      updateTime: NOW,
    });
  });

  it("hands out what is stored of a task", async () => {
    const id = await insert({
      nextRetryTime: NOW,
      bizKey: "order-1",
      bizContext: '{"orderId":1970670598291982290}',
      maxRetryCount: 8,
      retryStrategy: "EXPONENTIAL",
      firstRetryInterval: 30,
      traceParent: "00-trace",
      parentId: "9007199254740995",
    });
    expect(await claim()).toEqual([
      {
        id,
        eventType: "TEST",
        bizKey: "order-1",
        bizContext: '{"orderId":1970670598291982290}',
        claimNo: 1,
        retryCount: 0,
        maxRetryCount: 8,
        recycleCount: 0,
        retryStrategy: "EXPONENTIAL",
        firstRetryIntervalSeconds: 30,
        nextRetryTime: test.zone.format(NOW),
        traceParent: "00-trace",
        parentId: "9007199254740995",
      },
    ]);
  });

  it("starts at the given due time, that time included", async () => {
    const early = await insert({ nextRetryTime: after(-1_001) });
    const atStart = await insert({ nextRetryTime: after(-1_000) });
    const dueFrom = test.zone.format(after(-1_000));
    expect((await claim({ dueFrom })).map(({ id }) => id)).toEqual([atStart]);
    expect((await row(early))?.status).toBe("pending");
  });

  it("takes the returned due time as the start of the next claim without loss", async () => {
    for (let n = 0; n < 6; n++) await insert({ nextRetryTime: after(-100 + Math.floor(n / 3)) });
    const seen: string[] = [];
    let dueFrom: string | undefined;
    for (let round = 0; round < 4; round++) {
      const tasks = await claim({ limit: 2, ...(dueFrom === undefined ? {} : { dueFrom }) });
      seen.push(...tasks.map(({ id }) => id));
      dueFrom = tasks.at(-1)?.nextRetryTime ?? dueFrom;
    }
    expect(new Set(seen).size).toBe(6);
    expect(seen).toHaveLength(6);
  });

  it(`takes at least 1 and at most ${BATCH_ROWS_MAX} rows, whatever is asked`, async () => {
    for (let n = 0; n <= BATCH_ROWS_MAX + 1; n++) await insert({ nextRetryTime: NOW });
    expect(await claim({ limit: 0 })).toHaveLength(1);
    expect(await claim({ limit: 100_000 })).toHaveLength(BATCH_ROWS_MAX);
    expect(await claim({ limit: 100_000 })).toHaveLength(1);
    expect(await claim({ limit: 100_000 })).toEqual([]);
  });

  it("brings a payload of 65,536 bytes along and leaves one of 65,537 to be read by itself", async () => {
    const fits = "é".repeat(32_768);
    const tooLong = `${fits}x`;
    const small = await insert({ nextRetryTime: after(-1), bizContext: fits });
    const large = await insert({ nextRetryTime: NOW, bizContext: tooLong });
    const tasks = await claim();
    expect(tasks.map(({ id }) => id)).toEqual([small, large]);
    expect(tasks[0]?.bizContext === fits).toBe(true);
    expect(tasks[1]).toHaveProperty("bizContext", undefined);
    expect((await inSession((session) => readPayload(session, large))) === tooLong).toBe(true);
    expect(await inSession((session) => readPayload(session, "9223372036854775806"))).toBeUndefined();
  });

  it("takes a row that foreign code inserted with the article's columns only", async () => {
    await test.pool.query(ARTICLE_INSERT.replace("NOW()", "'2020-01-01 00:00:00'"), ["TEST", "foreign", "{}"]);
    expect(await claim()).toEqual([expect.objectContaining({ bizKey: "foreign", claimNo: 1, recycleCount: 0 })]);
  });
});

describe("claimTasksById", () => {
  it("takes those of the ids that are pending, due and of the type, in order of id, and leaves the rest as it is", async () => {
    const second = await insert({ id: "1000", nextRetryTime: after(-10) });
    const first = await insert({ id: "999", nextRetryTime: NOW });
    const kept = [
      await insert({ nextRetryTime: after(1) }),
      await insert({ nextRetryTime: NOW, eventType: "test" }),
      await insert({ nextRetryTime: NOW, status: "running", owner: "other", claimNo: 4 }),
      await insert({ nextRetryTime: NOW, status: "succeeded" }),
    ];
    const unasked = await insert({ nextRetryTime: NOW });
    const before = await Promise.all([...kept, unasked].map(row));
    const tasks = await claimById([second, ...kept, first, "9223372036854775806"]);
    expect(tasks.map(({ id }) => id)).toEqual([first, second]);
    expect(await row(first)).toMatchObject({ status: "running", owner: "worker-1", claimNo: 1 });
    expect(await Promise.all([...kept, unasked].map(row))).toEqual(before);
  });

  it("takes nothing a second time", async () => {
    const id = await insert({ nextRetryTime: NOW });
    expect(await claimById([id])).toHaveLength(1);
    expect(await claimById([id])).toEqual([]);
    expect((await row(id))?.claimNo).toBe(1);
  });

  it("answers an empty list for no ids", async () => {
    expect(await claimById([])).toEqual([]);
  });
});
