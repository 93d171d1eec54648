import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { insertTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { nextDue } from "./due-times.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");
const after = (ms: number) => new Date(NOW.getTime() + ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => inSession((session) => session.run("DELETE FROM t_retry_task")));

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const next = (dueFrom?: Date) =>
  inSession((session) => nextDue(session.at(NOW), "TEST", dueFrom && test.zone.format(dueFrom)));
const insertDue = (...dueTimes: Date[]) =>
  inSession(async (session) => {
    for (const nextRetryTime of dueTimes) await insertTaskRow(session, { nextRetryTime });
  });

describe("nextDue", () => {
  it.each([1, 0, -1, 3_600_000])("tells that the earliest pending task is due in %d ms", async (ms) => {
    await insertDue(after(ms + 5), after(ms), after(ms + 1));
    expect(await next()).toEqual({
      now: test.zone.format(NOW),
      next: { inMs: ms, at: test.zone.format(after(ms)) },
    });
  });

  it("looks from the given due time on, that time included", async () => {
    await insertDue(after(-10), after(10), after(20));
    expect((await next(after(10))).next?.inMs).toBe(10);
    expect((await next(after(11))).next?.inMs).toBe(20);
    expect(await next(after(21))).toEqual({ now: test.zone.format(NOW) });
  });

  it("tells nothing if no task of the type is pending", async () => {
    await inSession(async (session) => {
      for (const status of ["running", "succeeded", "failed", "cancelled"] as const) {
        await insertTaskRow(session, { status, nextRetryTime: NOW });
      }
      await insertTaskRow(session, { eventType: "test", nextRetryTime: NOW });
    });
    expect(await next()).toEqual({ now: test.zone.format(NOW) });
  });
});
