import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RecordingClock } from "../../testing/recording-clock.ts";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import { waitFor } from "../../testing/wait-for.ts";
import { TIMER_MS_MAX } from "../clock.ts";
import { createEngine, defineHandler, type HandlerOptions } from "../index.ts";

const scenario = new Scenario();
const DAY_MS = 86_400_000;
const BEYOND_MS = 2 ** 31 + 1_000;

const warnings: string[] = [];
const onWarning = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`);
beforeAll(() => void process.on("warning", onWarning));
afterAll(() => void process.off("warning", onWarning));

describe("T3: waiting times beyond 24.8 days", () => {
  it("an interval of 34.7 days is refused where it is declared and where a task is created, with a message", async () => {
    const declare = (retry: HandlerOptions["retry"]) => () =>
      defineHandler({ eventType: "FAR", handle: () => undefined, ...(retry && { retry }) });
    expect(declare({ firstIntervalSeconds: 3_000_000 })).toThrow(/FAR.*firstIntervalSeconds.*86400/);
    expect(declare({ levelsSeconds: [10, 3_000_000] })).toThrow(/levelsSeconds/);
    expect(declare({ rangeSeconds: [10, 3_000_000] })).toThrow(/rangeSeconds/);
    expect(declare({ capSeconds: 3_000_000 })).toThrow(/capSeconds/);
    const { engine } = await scenario.start([new CallLog().handler({ eventType: "FAR" })]);
    await expect(
      engine.transaction((tx) =>
        engine.enqueue(tx, { eventType: "FAR", bizKey: "k", firstIntervalSeconds: 3_000_000 }),
      ),
    ).rejects.toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining("24 h") as string });
    expect(await scenario.statuses("FAR")).toEqual({});
  });

  it.each(["pollIntervalMs", "timeLimitMs"])(
    "a handler's %s beyond the range of a timer is refused with a message",
    (name) => {
      expect(() => defineHandler({ eventType: "X", handle: () => undefined, [name]: BEYOND_MS })).toThrow(
        new RegExp(`X.*${name}`),
      );
    },
  );

  it.each([
    "beatIntervalMs",
    "deadAfterMs",
    "blockedAfterMs",
    "syncIntervalMs",
    "recycleIntervalMs",
    "completionDelayMs",
  ])("an engine's %s beyond the range of a timer is refused with a message", (name) => {
    expect(() => createEngine({ database: scenario.database.pool, [name]: BEYOND_MS })).toThrow(new RegExp(name));
  });

  it("a row of foreign code with such an interval waits 24 hours and is not run before", async () => {
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({ eventType: "ROW", pollIntervalMs: 50 }, (task) => task.bizKey !== "far"),
    ]);
    const [id = ""] = await scenario.insert({ eventType: "ROW", bizKey: "far", firstRetryInterval: 3_000_000 });
    const row = await started.rowWhere(id, "has failed", ({ retryCount }) => retryCount === 1);
    expect(row.nextRetryTime.getTime() - row.updateTime.getTime()).toBe(DAY_MS);
    for (let poll = 0; poll < 3; poll++) {
      const [marker = ""] = await scenario.insert({ eventType: "ROW", bizKey: `marker ${poll}` });
      await started.rowWhere(marker, "is polled", ({ status }) => status === "succeeded");
    }
    expect(log.count("far")).toBe(1);
  });

  it("tasks due in weeks and years, and the longest settings: the engine is idle, no timer overflows, nothing spins", async () => {
    const clock = new RecordingClock();
    const { waitsMs } = clock;
    const log = new CallLog();
    await scenario.insert(
      { eventType: "IDLE", bizKey: "25 days", dueInMs: 25 * DAY_MS },
      { eventType: "IDLE", bizKey: "nine years", dueInMs: 9 * 365 * DAY_MS },
    );
    const started = await scenario.start(
      [log.handler({ eventType: "IDLE", pollIntervalMs: 3_600_000, timeLimitMs: DAY_MS })],
      {
        clock,
        beatIntervalMs: 60_000,
        deadAfterMs: 3_600_000,
        blockedAfterMs: 3_600_000,
        foreignAfterMs: 30 * DAY_MS,
        syncIntervalMs: 60_000,
        recycleIntervalMs: 60_000,
      },
    );
    await waitFor("the poller to sleep", () => waitsMs.some((ms) => ms > 3_000_000));
    const delayed = await started.enqueue({ eventType: "IDLE", bizKey: "ten years", delayMs: 3_650 * DAY_MS });
    for (let index = 0; index < 5; index++) {
      const { id } = await started.enqueue({ eventType: "IDLE", bizKey: `eager ${index}` });
      await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    }
    expect(log.keys).toEqual(Array.from({ length: 5 }, (_, index) => `eager ${index}`));
    expect((await scenario.row(delayed.id))?.claimNo).toBe(0);
    expect(Math.max(...waitsMs)).toBeLessThanOrEqual(TIMER_MS_MAX);
    // A loop that spun would have asked for thousands of waits by now.
    expect(waitsMs.length).toBeLessThan(100);
    expect(warnings.filter((warning) => warning.includes("Timeout"))).toEqual([]);
  });

  it("a wait that a handler asks for is capped at 24 hours, in whatever shape it comes", async () => {
    const started = await scenario.start([
      new CallLog().handler({ eventType: "ASKS", classifyError: () => ({ retryAfter: { ms: 1e18 } }) }, () =>
        Promise.reject(new Error("later")),
      ),
    ]);
    const { id } = await started.enqueue({ eventType: "ASKS", bizKey: "k" });
    const row = await started.rowWhere(id, "has failed", ({ retryCount }) => retryCount === 1);
    expect(row.nextRetryTime.getTime() - row.updateTime.getTime()).toBe(DAY_MS);
  });
});
