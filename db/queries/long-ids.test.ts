import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mysql2Seam } from "../client.ts";
import { Session } from "../session.ts";
import { insertTaskRow, readTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { cancelTask } from "./cancel-task.ts";
import { claimDueTasks, claimTasksById } from "./claim-tasks.ts";
import { completeTasks } from "./complete-tasks.ts";
import { cancelRunningTask, failTask, rescheduleTask, snoozeTask } from "./end-attempt.ts";
import { findTaskIds, readTaskTypes } from "./find-task-id.ts";
import { insertTasks } from "./insert-tasks.ts";
import { listTasks } from "./list-tasks.ts";
import { readClaimStates, readOwnedTasks, readPayload } from "./owned-tasks.ts";
import { recycleTasks } from "./recycle-tasks.ts";
import { releaseTasks } from "./release-tasks.ts";
import { resetTask } from "./reset-task.ts";
import { listAttempts, showTask } from "./show-task.ts";

// As doubles the first three are one number, and so are the last two.
const BELOW = "9007199254740992";
const ID = "9007199254740993";
const ABOVE = "9007199254740994";
const LARGEST = ["9223372036854775806", "9223372036854775805"] as const;

const NOW = new Date("2026-10-25T00:30:00.500Z");
const CLAIMER = { owner: "me", ip: "10.0.0.1" };
const ERROR = { text: "boom", fingerprint: "f" };
const CLAIM = { id: ID, claimNo: 1 };
const RUNNING = { status: "running", owner: "me", claimNo: 1, updateTime: NOW } as const;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() =>
  inSession(async (session) => {
    await session.run("DELETE FROM t_retry_task");
    await session.run("DELETE FROM t_retry_attempt");
  }),
);

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const insertThree = (values: Parameters<typeof insertTaskRow>[1]) =>
  inSession(async (session) => {
    for (const id of [BELOW, ID, ABOVE]) await insertTaskRow(session, { id, ...values });
  });
const row = (id: string) => inSession((session) => readTaskRow(session, id));

describe("an id above 2^53", () => {
  it("is told with all digits by the insert that made it", async () => {
    await inSession((session) => session.run(`ALTER TABLE t_retry_task AUTO_INCREMENT = ${ID}`));
    const task = {
      eventType: "TEST",
      bizContext: "{}",
      maxRetryCount: 3,
      retryStrategy: "FIXED",
      firstRetryIntervalSeconds: 10,
      due: { delayMs: 0 },
    };
    const told = await test.database.transaction(async (session) => {
      const { insertId } = await insertTasks(session, [{ ...task, bizKey: "a" }]);
      return String(insertId);
    });
    expect(told).toBe(ID);
    const [found] = await inSession((session) => findTaskIds(session, [{ eventType: "TEST", bizKey: "a" }]));
    expect(found?.id).toBe(ID);
  });

  it("is told with all digits by a service's connection with the driver's defaults", async () => {
    await inSession((session) => session.run(`ALTER TABLE t_retry_task AUTO_INCREMENT = ${ID}`));
    await test.pool.query(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, max_retry_count, retry_strategy, first_retry_interval, next_retry_time)
        VALUES ('TEST', 'a', '{}', 3, 'FIXED', 10, '2020-01-01')`,
    );
    const connection = await test.pool.getConnection();
    try {
      const [found] = await findTaskIds(new Session(mysql2Seam(connection)), [{ eventType: "TEST", bizKey: "a" }]);
      expect(found?.id).toBe(ID);
    } finally {
      connection.release();
    }
  });

  it("is claimed alone, and its neighbours stay as they are", async () => {
    await insertThree({ dueInMs: -1_000 });
    const before = [await row(BELOW), await row(ABOVE)];
    const claimed = await test.database.transaction((session) =>
      claimTasksById(session, CLAIMER, { eventType: "TEST", ids: [ID] }),
    );
    expect(claimed.map(({ id }) => id)).toEqual([ID]);
    expect((await row(ID))?.claimNo).toBe(1);
    expect([await row(BELOW), await row(ABOVE)]).toEqual(before);
  });

  it("is claimed in its place among its neighbours, one at a time", async () => {
    await insertThree({ nextRetryTime: new Date(0) });
    const claimOne = () =>
      test.database.transaction((session) => claimDueTasks(session, CLAIMER, { eventType: "TEST", limit: 1 }));
    const order = [...(await claimOne()), ...(await claimOne()), ...(await claimOne())].map(({ id }) => id);
    expect(order).toEqual([BELOW, ID, ABOVE]);
  });

  it.each([
    ["completed", (session: Session) => completeTasks(session, "me", [CLAIM])],
    ["rescheduled", (session: Session) => rescheduleTask(session, "me", { ...CLAIM, delayMs: 1, error: ERROR })],
    [
      "failed",
      (session: Session) => failTask(session, "me", { ...CLAIM, reason: "exhausted", counted: true, error: ERROR }),
    ],
    ["snoozed", (session: Session) => snoozeTask(session, "me", { ...CLAIM, delayMs: 1 })],
    ["cancelled by its handler", (session: Session) => cancelRunningTask(session, "me", CLAIM)],
    ["released", (session: Session) => releaseTasks(session, "me", [CLAIM])],
    [
      "recycled",
      async (session: Session) => {
        const abandoned = {
          ...CLAIM,
          updateTime: session.zone.format(NOW),
          eventType: "TEST",
          owner: "me",
          retryCount: 0,
          maxRetryCount: 3,
          recycleCount: 0,
        };
        return (await recycleTasks(session, [abandoned], { maxRecycles: 3, by: "you" })).length;
      },
    ],
  ] as const)("is %s alone", async (_, write) => {
    await insertThree(RUNNING);
    const before = [await row(BELOW), await row(ABOVE)];
    expect(await test.database.transaction(write)).toBe(1);
    expect((await row(ID))?.status).not.toBe("running");
    expect([await row(BELOW), await row(ABOVE)]).toEqual(before);
  });

  it.each([
    ["reset", resetTask, "pending"],
    ["cancelled", cancelTask, "cancelled"],
  ] as const)("is %s by a person alone, and so is its history", async (_, act, status) => {
    await insertThree({ status: "failed" });
    const before = [await row(BELOW), await row(ABOVE)];
    await test.database.transaction<unknown>((session) => act(session, { id: ID, actor: "ada" }));
    expect((await row(ID))?.status).toBe(status);
    expect([await row(BELOW), await row(ABOVE)]).toEqual(before);
    const histories = await inSession((session) =>
      Promise.all([BELOW, ID, ABOVE].map((id) => listAttempts(session, id))),
    );
    expect(histories.map(({ length }) => length)).toEqual([0, 1, 0]);
  });

  it.each([BELOW, ID, ABOVE, ...LARGEST])("%s keeps its digits in every read", async (id) => {
    const bizContext = '{"orderId":1970670598291982290}';
    await inSession((session) => insertTaskRow(session, { ...RUNNING, id, parentId: id, bizKey: id, bizContext }));
    await inSession(async (session) => {
      expect(await showTask(session, id)).toMatchObject({ id, parentId: id, bizContext });
      expect((await readOwnedTasks(session, { owner: "me", ids: [id] }))[0]).toMatchObject({ id, parentId: id });
      expect([...(await readClaimStates(session, [id])).keys()]).toEqual([id]);
      expect([...(await readTaskTypes(session, [id])).keys()]).toEqual([id]);
      expect(await readPayload(session, id)).toBe(bizContext);
      const page = await listTasks(session, { eventType: "TEST", status: "running", limit: 1 });
      expect(page.items.map((item) => item.id)).toEqual([id]);
    });
  });
});
