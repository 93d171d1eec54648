import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { insertTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { insertAttempts, type NewAttempt } from "./insert-attempts.ts";
import { listAttempts, showTask } from "./show-task.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const entry = (values: Partial<NewAttempt> = {}): NewAttempt => ({
  taskId: "1",
  eventType: "TEST",
  kind: "retried",
  retryCount: 1,
  claimNo: 1,
  ...values,
});

describe("showTask", () => {
  it.each([
    [0, 0],
    [1, 1],
    [-1, -1],
    [90_061_001, 90_061_001],
  ])("tells that a task is due in %d ms", async (dueInMs, expected) => {
    const shown = await inSession(async (session) => {
      const id = await insertTaskRow(session, { nextRetryTime: new Date(NOW.getTime() + dueInMs) });
      return showTask(session.at(NOW), id);
    });
    expect(shown?.dueInMs).toBe(expected);
    expect(shown?.nextRetryAt).toEqual(new Date(NOW.getTime() + dueInMs));
  });

  it("tells a status it does not know by its number", async () => {
    const shown = await inSession(async (session) => {
      const id = await insertTaskRow(session);
      await session.run(`UPDATE t_retry_task SET status = 9 WHERE id = ${id}`);
      return showTask(session, id);
    });
    expect(shown).toMatchObject({ status: undefined, statusCode: 9 });
  });

  it("answers undefined for a task that is not there", async () => {
    expect(await inSession((session) => showTask(session, "9223372036854775806"))).toBeUndefined();
  });
});

describe("insertAttempts and listAttempts", () => {
  it("keeps what an entry tells", async () => {
    await inSession((session) =>
      insertAttempts(session.at(NOW), [
        entry({
          taskId: "10",
          kind: "retried",
          retryCount: 2,
          claimNo: 3,
          owner: "me",
          error: { text: "boom 💥", fingerprint: "f" },
          durationMs: 12.6,
          nextDelayMs: 10_000,
        }),
      ]),
    );
    expect(await inSession((session) => listAttempts(session, "10"))).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        kind: "retried",
        retryCount: 2,
        claimNo: 3,
        owner: "me",
        actor: undefined,
        detail: undefined,
        error: "boom 💥",
        durationMs: 13,
        nextRetryAt: new Date(NOW.getTime() + 10_000),
        at: NOW,
      },
    ]);
  });

  it("lists the newest entries of one task first, by number, up to the limit", async () => {
    const details = Array.from({ length: 120 }, (_, n) => `entry ${n}`);
    await inSession(async (session) => {
      await insertAttempts(
        session,
        details.map((detail) => entry({ taskId: "20", detail })),
      );
      await insertAttempts(session, [entry({ taskId: "2" }), entry({ taskId: "200" })]);
    });
    const list = (limit?: number) => inSession((session) => listAttempts(session, "20", limit));
    expect((await list()).map(({ detail }) => detail)).toEqual([...details].reverse());
    expect((await list(3)).map(({ detail }) => detail)).toEqual(["entry 119", "entry 118", "entry 117"]);
  });

  it("cuts a detail that is too long for its column", async () => {
    await inSession((session) => insertAttempts(session, [entry({ taskId: "30", detail: "é".repeat(600) })]));
    const [stored] = await inSession((session) => listAttempts(session, "30"));
    expect(stored?.detail).toBe("é".repeat(512));
  });

  it("cuts a detail between two characters, never inside one", async () => {
    await inSession((session) => insertAttempts(session, [entry({ taskId: "40", detail: `x${"💥".repeat(600)}` })]));
    const [stored] = await inSession((session) => listAttempts(session, "40"));
    expect(stored?.detail).toMatch(/^x💥+$/u);
  });

  it("adds nothing for an empty list", async () => {
    await inSession((session) => insertAttempts(session, []));
    expect(await inSession((session) => listAttempts(session, "50"))).toEqual([]);
  });
});
