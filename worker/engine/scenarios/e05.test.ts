import { describe, expect, it } from "vitest";
import { CallLog, Scenario } from "../../testing/scenario.ts";

const scenario = new Scenario();
const DAY_MS = 86_400_000;
const FAILURES = [40, 70, 1_100, 5_000];
const INTERVALS = [1, 10, 2_147_483_647];

describe("E5: backoff that leaves the range of numbers and dates", () => {
  it("EXPONENTIAL far beyond the cap: exactly 24 hours, one more failure, and the others of the pass are handled", async () => {
    const log = new CallLog();
    const rows = FAILURES.flatMap((retryCount) =>
      INTERVALS.map((firstRetryInterval) => ({
        eventType: "FAR",
        bizKey: `${retryCount} × ${firstRetryInterval}`,
        retryStrategy: "EXPONENTIAL",
        maxRetryCount: 1_000_000,
        retryCount,
        firstRetryInterval,
      })),
    );
    const ids = await scenario.insert(...rows);
    const harmless = await scenario.insert(...Array.from({ length: 20 }, () => ({ eventType: "FAR" })));
    const started = await scenario.start([
      log.handler({ eventType: "FAR", pollIntervalMs: 50 }, (task) => !task.bizKey.includes("×")),
    ]);
    for (const [index, id] of ids.entries()) {
      const failures = (rows[index]?.retryCount ?? 0) + 1;
      const row = await started.rowWhere(id, "has failed", ({ retryCount }) => retryCount === failures);
      expect(row.status).toBe("pending");
      expect(row.nextRetryTime.getTime() - row.updateTime.getTime()).toBe(DAY_MS);
    }
    for (const id of harmless) await started.rowWhere(id, "succeeds", (row) => row.status === "succeeded");
    for (const { bizKey } of rows) expect(log.count(bizKey)).toBe(1);
    expect(started.of("loopError")).toEqual([]);
  });

  it("just below and just above the cap are told apart", async () => {
    const started = await scenario.start([
      new CallLog().handler({ eventType: "EDGE", pollIntervalMs: 50 }, () => false),
    ]);
    const row = { eventType: "EDGE", retryStrategy: "EXPONENTIAL", maxRetryCount: 1_000, firstRetryInterval: 10 };
    const [below = "", above = ""] = await scenario.insert({ ...row, retryCount: 13 }, { ...row, retryCount: 14 });
    const waitOf = async (id: string, retryCount: number) => {
      const failed = await started.rowWhere(id, "has failed", (one) => one.retryCount === retryCount);
      return failed.nextRetryTime.getTime() - failed.updateTime.getTime();
    };
    expect([await waitOf(below, 14), await waitOf(above, 15)]).toEqual([81_920_000, DAY_MS]);
  });

  it.each([
    ["zero", 0, 1_000],
    ["negative", -2_147_483_648, 1_000],
    ["34.7 days", 3_000_000, DAY_MS],
  ])(
    "a first interval of foreign code that is %s is brought into the limits",
    async (_, firstRetryInterval, waitMs) => {
      const eventType = `FOREIGN ${firstRetryInterval}`;
      const started = await scenario.start([new CallLog().handler({ eventType, pollIntervalMs: 50 }, () => false)]);
      const [id = ""] = await scenario.insert({
        eventType,
        retryStrategy: "FIXED",
        firstRetryInterval,
        maxRetryCount: 9,
      });
      const row = await started.rowWhere(id, "has failed", ({ retryCount }) => retryCount === 1);
      expect(row.nextRetryTime.getTime() - row.updateTime.getTime()).toBe(waitMs);
    },
  );

  it("jitter is applied before the cap: never above 24 hours, never at once", async () => {
    const started = await scenario.start(
      [
        new CallLog().handler({ eventType: "JITTER", pollIntervalMs: 50, retry: { jitter: 1 } }, () => false),
        new CallLog().handler({ eventType: "CAPPED", pollIntervalMs: 50, retry: { capSeconds: 3_600 } }, () => false),
      ],
      { random: () => 0.999_999 },
    );
    const far = { retryStrategy: "EXPONENTIAL", retryCount: 1_100, maxRetryCount: 5_000, firstRetryInterval: 10 };
    const [jitter = "", capped = ""] = await scenario.insert(
      { ...far, eventType: "JITTER" },
      { ...far, eventType: "CAPPED" },
    );
    const waitOf = async (id: string) => {
      const row = await started.rowWhere(id, "has failed", ({ retryCount }) => retryCount === 1_101);
      return row.nextRetryTime.getTime() - row.updateTime.getTime();
    };
    expect([await waitOf(jitter), await waitOf(capped)]).toEqual([DAY_MS, 3_600_000]);
  });

  it("a strategy that nobody knows fails and is retried like EXPONENTIAL; the process lives on", async () => {
    const started = await scenario.start([
      new CallLog().handler({ eventType: "ODD", pollIntervalMs: 50 }, () => false),
    ]);
    const [id = ""] = await scenario.insert({
      eventType: "ODD",
      retryStrategy: "¯\\_(ツ)_/¯",
      retryCount: 2,
      maxRetryCount: 9,
    });
    const row = await started.rowWhere(id, "has failed", ({ retryCount }) => retryCount === 3);
    expect(row.nextRetryTime.getTime() - row.updateTime.getTime()).toBe(40_000);
  });
});
