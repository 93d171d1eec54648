import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../db/migrate/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../db/testing/test-database.ts";
import { silentLogger } from "./engine/logger.ts";
import { StartRefusedError, startWhenPossible } from "./start-engine.ts";

/** A clock that never waits and tells of each wait. */
const eagerClock = (onSleep: (ms: number) => void | Promise<void>) => ({
  monotonicMs: () => performance.now(),
  sleep: async (ms: number) => onSleep(ms),
});

function lost(): Error {
  return Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
}

describe("startWhenPossible", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase({ migrated: false });
  });
  afterAll(() => test.drop());

  it("waits for the migration, says what to run, and starts when it is done", async () => {
    let starts = 0;
    const obstacles: object[] = [];
    const isStarted = await startWhenPossible({
      engine: { start: async () => void starts++ },
      database: test.database,
      log: { ...silentLogger, warn: (fields) => void obstacles.push(fields) },
      clock: eagerClock(async () => void (await migrate(test.connection))),
      signal: new AbortController().signal,
    });
    expect(isStarted).toBe(true);
    expect(starts).toBe(1);
    expect(obstacles).toEqual([{ obstacle: expect.stringMatching(/version none.*run: redrive migrate/) }]);
  });

  it("D3: waits with growing pauses while the database is away, and logs the same obstacle once", async () => {
    const waits: number[] = [];
    const lines: object[] = [];
    let failures = 8;
    await startWhenPossible({
      engine: { start: async () => undefined },
      database: { use: async (work) => (failures-- > 0 ? Promise.reject(lost()) : test.database.use(work)) },
      log: { ...silentLogger, warn: (fields) => void lines.push(fields) },
      clock: eagerClock((ms) => void waits.push(ms)),
      signal: new AbortController().signal,
    });
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
    expect(lines).toHaveLength(1);
  });

  it("ends without a start when it is told to stop", async () => {
    const stopping = new AbortController();
    const isStarted = await startWhenPossible({
      engine: { start: async () => Promise.reject(lost()) },
      database: test.database,
      log: silentLogger,
      clock: eagerClock(() => stopping.abort()),
      signal: stopping.signal,
    });
    expect(isStarted).toBe(false);
  });

  it("gives up at once on what waiting does not mend", async () => {
    const denied = Object.assign(new Error("Access denied for user 'x'"), { errno: 1045 });
    const starting = startWhenPossible({
      engine: { start: async () => undefined },
      database: { use: async () => Promise.reject(denied) },
      log: silentLogger,
      clock: eagerClock(() => undefined),
      signal: new AbortController().signal,
    });
    await expect(starting).rejects.toThrow(StartRefusedError);
    await expect(starting).rejects.toThrow(/Access denied/);
  });
});
