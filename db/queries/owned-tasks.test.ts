import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { STATUS_CODE } from "../schema/task-status.ts";
import { holdOpen } from "../testing/locks.ts";
import { insertTaskRow, type TaskRowValues } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { listOwnedClaims, readClaimStates, readOwnedTasks } from "./owned-tasks.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");
const before = (ms: number) => new Date(NOW.getTime() - ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => inSession((session) => session.run("DELETE FROM t_retry_task")));

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const insert = (values: TaskRowValues) => inSession((session) => insertTaskRow(session, values));
const MINE = { status: "running", owner: "me", claimNo: 1 } as const;

describe("readOwnedTasks", () => {
  it("reads those of the ids that run under this owner, under the claim number they have", async () => {
    const mine = await insert({ ...MINE, bizContext: '{"a":1}', claimNo: 3 });
    const others = [
      await insert({ ...MINE, owner: "you" }),
      await insert({ ...MINE, owner: null }),
      await insert({ ...MINE, status: "pending" }),
      await insert({ ...MINE, status: "succeeded" }),
    ];
    await insert(MINE);
    const tasks = await inSession((session) => readOwnedTasks(session, { owner: "me", ids: [mine, ...others] }));
    expect(tasks).toEqual([expect.objectContaining({ id: mine, claimNo: 3, bizContext: '{"a":1}' })]);
  });

  it("does not see a row whose transaction has not committed", async () => {
    const held = await holdOpen(test.database, (session) => insertTaskRow(session, MINE));
    const read = () => inSession((session) => readOwnedTasks(session, { owner: "me", ids: [held.result] }));
    const early = await read();
    await held.commit();
    expect(early).toEqual([]);
    expect(await read()).toHaveLength(1);
  });

  it("reads nothing for no ids", async () => {
    expect(await inSession((session) => readOwnedTasks(session, { owner: "me", ids: [] }))).toEqual([]);
  });
});

describe("listOwnedClaims", () => {
  const list = (limit = 100) =>
    inSession((session) =>
      listOwnedClaims(session.at(NOW), { owner: "me", eventType: "TEST", settledMs: 5_000, limit }),
    );

  it("lists a claim that was last written the settling time ago and none a millisecond younger", async () => {
    const settled = await insert({ ...MINE, claimNo: 2, updateTime: before(5_000) });
    await insert({ ...MINE, updateTime: before(4_999) });
    expect(await list()).toEqual([{ id: settled, claimNo: 2 }]);
  });

  it("lists running tasks of this owner and type only", async () => {
    const old = { ...MINE, updateTime: before(60_000) };
    await insert({ ...old, owner: "ME" });
    await insert({ ...old, owner: null });
    await insert({ ...old, eventType: "test" });
    await insert({ ...old, status: "failed" });
    expect(await list()).toEqual([]);
  });

  it("lists the earliest due first and ids by number, up to the limit", async () => {
    const old = { ...MINE, updateTime: before(60_000), nextRetryTime: before(1_000) };
    for (const id of ["100", "11", "9"]) await insert({ ...old, id });
    await insert({ ...old, id: "500", nextRetryTime: before(2_000) });
    expect((await list(3)).map(({ id }) => id)).toEqual(["500", "9", "11"]);
  });
});

describe("readClaimStates", () => {
  it("tells what each task looks like now and leaves out those that are gone", async () => {
    const id = await insert({
      status: "failed",
      owner: "you",
      claimNo: 4,
      retryCount: 2,
      recycleCount: 1,
      finishReason: "exhausted",
      updateTime: before(1_500),
    });
    const states = await inSession((session) => readClaimStates(session.at(NOW), [id, "9223372036854775806"]));
    expect([...states.values()]).toEqual([
      {
        id,
        status: STATUS_CODE.failed,
        owner: "you",
        claimNo: 4,
        retryCount: 2,
        recycleCount: 1,
        finishReason: "exhausted",
        sinceUpdateMs: 1_500,
      },
    ]);
  });

  it("reads nothing for no ids", async () => {
    expect((await inSession((session) => readClaimStates(session, []))).size).toBe(0);
  });
});
