import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { stepBefore } from "../testing/locks.ts";
import { insertTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { countTasksByType, PAGE_COUNT_MAX } from "./count-tasks.ts";
import {
  listEventTypes,
  listTaskEventTypes,
  registerEventType,
  setOverrideSettings,
  setPaused,
} from "./event-types.ts";
import { insertAttempts } from "./insert-attempts.ts";
import { readTypeGauges } from "./metrics.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");
const DAY_MS = 86_400_000;
const after = (ms: number) => new Date(NOW.getTime() + ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() =>
  inSession(async (session) => {
    for (const table of ["task", "attempt", "event_type"]) await session.run(`DELETE FROM t_retry_${table}`);
  }),
);

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const types = () => inSession(listEventTypes);

describe("registerEventType", () => {
  it("enters a type once and raises its revision only when the code declares something else", async () => {
    const revisions: (number | undefined)[] = [];
    for (const settings of ['{"concurrency":2}', '{"concurrency":2}', '{"concurrency":3}', '{"concurrency":3}']) {
      await inSession((session) => registerEventType(session, "TEST", settings));
      revisions.push((await types())[0]?.revision);
    }
    expect(revisions).toEqual([0, 0, 1, 1]);
    expect((await types())[0]?.codeSettings).toBe('{"concurrency":3}');
  });

  it("keeps what people have set", async () => {
    await inSession(async (session) => {
      await setPaused(session, { eventType: "TEST", paused: true, reason: "incident 7" });
      await setOverrideSettings(session, { eventType: "TEST", overrideSettings: '{"concurrency":1}' });
      await registerEventType(session, "TEST", "{}");
    });
    expect(await types()).toEqual([
      {
        eventType: "TEST",
        codeSettings: "{}",
        overrideSettings: '{"concurrency":1}',
        paused: true,
        pausedReason: "incident 7",
        revision: 2,
      },
    ]);
  });

  it("is harmless when another worker registers the same type at the same moment", async () => {
    const session = stepBefore(test, /^INSERT/, () =>
      inSession((other) => registerEventType(other, "TEST", '{"by":"other"}')),
    );
    await registerEventType(session, "TEST", '{"by":"me"}');
    expect(await types()).toEqual([expect.objectContaining({ codeSettings: '{"by":"me"}', revision: 1 })]);
  });

  it("takes names that differ in case for two types", async () => {
    await inSession((session) => registerEventType(session, "TEST", "{}"));
    await inSession((session) => registerEventType(session, "test", "{}"));
    expect((await types()).map(({ eventType }) => eventType)).toEqual(["TEST", "test"]);
  });
});

describe("setPaused", () => {
  it("pauses and resumes a type, each with a new revision", async () => {
    await inSession((session) => registerEventType(session, "TEST", "{}"));
    await inSession((session) => setPaused(session, { eventType: "TEST", paused: true, reason: "incident 7" }));
    expect((await types())[0]).toMatchObject({ paused: true, pausedReason: "incident 7", revision: 1 });
    await inSession((session) => setPaused(session, { eventType: "TEST", paused: false }));
    expect((await types())[0]).toMatchObject({ paused: false, pausedReason: undefined, revision: 2 });
  });

  it("wins over a registration of the same type at the same moment", async () => {
    const session = stepBefore(test, /^INSERT/, () => inSession((other) => registerEventType(other, "TEST", "{}")));
    await setPaused(session, { eventType: "TEST", paused: true });
    expect(await types()).toEqual([expect.objectContaining({ eventType: "TEST", codeSettings: "{}", paused: true })]);
  });
});

describe("setOverrideSettings", () => {
  it("replaces and clears what people set, and answers 0 for a type nobody knows", async () => {
    await inSession((session) => registerEventType(session, "TEST", "{}"));
    const set = (eventType: string, overrideSettings: string | undefined) =>
      inSession((session) => setOverrideSettings(session, { eventType, overrideSettings }));
    expect(await set("TEST", '{"concurrency":1}')).toBe(1);
    expect((await types())[0]).toMatchObject({ overrideSettings: '{"concurrency":1}', revision: 1 });
    expect(await set("TEST", undefined)).toBe(1);
    expect((await types())[0]).toMatchObject({ overrideSettings: undefined, revision: 2 });
    expect(await set("test", "{}")).toBe(0);
  });
});

describe("listTaskEventTypes", () => {
  it("names each type that has tasks, in any status, registered or not", async () => {
    await inSession(async (session) => {
      await registerEventType(session, "IDLE", "{}");
      for (const eventType of ["A", "a", "A ", "B", "A"]) {
        await insertTaskRow(session, { eventType, status: eventType === "B" ? "succeeded" : "pending" });
      }
    });
    expect((await inSession(listTaskEventTypes)).sort()).toEqual(["A", "A ", "B", "a"]);
  });
});

describe("countTasksByType", () => {
  it("counts each status of each type that is registered or has tasks, by the clock of the database", async () => {
    await inSession(async (session) => {
      await registerEventType(session, "IDLE", "{}");
      await setPaused(session, { eventType: "IDLE", paused: true });
      await insertTaskRow(session, { nextRetryTime: after(-90_000) });
      await insertTaskRow(session, { nextRetryTime: after(60_000) });
      for (const status of ["running", "failed", "failed", "succeeded", "cancelled"] as const) {
        await insertTaskRow(session, { status, nextRetryTime: after(-DAY_MS) });
      }
    });
    const none = { pending: 0, due: 0, running: 0, failed: 0, oldestDueAgeMs: 0, recycled24h: 0, capped: false };
    expect(await inSession((session) => countTasksByType(session.at(NOW)))).toEqual([
      { ...none, eventType: "IDLE", paused: true },
      { ...none, eventType: "TEST", paused: false, pending: 2, due: 1, running: 1, failed: 2, oldestDueAgeMs: 90_000 },
    ]);
  });

  it("counts the tasks that were taken back within 24 hours, not those a millisecond earlier", async () => {
    const entry = (taskId: string) =>
      ({ taskId, eventType: "TEST", kind: "recycled", retryCount: 0, claimNo: 1 }) as const;
    await inSession(async (session) => {
      await insertTaskRow(session);
      await insertAttempts(session.at(after(-DAY_MS - 1)), [entry("1")]);
      await insertAttempts(session.at(after(-DAY_MS)), [entry("2")]);
      await insertAttempts(session.at(NOW), [entry("3"), { ...entry("4"), kind: "retried" }]);
    });
    const [counts] = await inSession((session) => countTasksByType(session.at(NOW)));
    expect(counts?.recycled24h).toBe(2);
  });

  it(`says so when a count has stopped at ${PAGE_COUNT_MAX}, and not one below`, async () => {
    const insert = (from: number, to: number) => {
      const rows = Array.from(
        { length: to - from },
        (_, n) => `('TEST', 'k${from + n}', '{}', 0, 3, 'FIXED', 10, '2026-01-01')`,
      );
      return test.pool.query(
        `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy,
          first_retry_interval, next_retry_time) VALUES ${rows.join(",")}`,
      );
    };
    const read = async () => (await inSession((session) => countTasksByType(session)))[0];
    await insert(0, PAGE_COUNT_MAX - 1);
    expect(await read()).toMatchObject({ pending: PAGE_COUNT_MAX - 1, capped: false });
    await insert(PAGE_COUNT_MAX, PAGE_COUNT_MAX + 10);
    expect(await read()).toMatchObject({ pending: PAGE_COUNT_MAX, capped: true });
  });
});

describe("readTypeGauges", () => {
  it("tells the age of the oldest due task, and 0 if none is due yet", async () => {
    const age = async () => (await inSession((session) => readTypeGauges(session.at(NOW), "TEST"))).oldestDueAgeMs;
    expect(await age()).toBe(0);
    await inSession((session) => insertTaskRow(session, { nextRetryTime: after(1) }));
    expect(await age()).toBe(0);
    await inSession((session) => insertTaskRow(session, { nextRetryTime: after(-1) }));
    expect(await age()).toBe(1);
  });

  it("stops counting at its limit", async () => {
    await inSession(async (session) => {
      for (let n = 0; n < 5; n++) await insertTaskRow(session);
    });
    const rows = (limit: number) => inSession((session) => readTypeGauges(session, "TEST", limit));
    expect([(await rows(4)).pending, (await rows(5)).pending, (await rows(6)).pending]).toEqual([4, 5, 5]);
  });
});
