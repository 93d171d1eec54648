import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import { NonRetryableError, RetryAfterError, Snooze, type HandlerResult } from "../index.ts";

const scenario = new Scenario();

/** An error whose parts throw when they are looked at. */
function hostile(): object {
  const fight = {
    get: () => {
      throw new Error("do not look");
    },
    getPrototypeOf: () => {
      throw new Error("do not look");
    },
  };
  return new Proxy({}, fight);
}

const THROWN: readonly (readonly [what: string, thrown: unknown, shown: string])[] = [
  ["null", null, "null"],
  ["undefined", undefined, "undefined"],
  ["an empty string", "", "empty string"],
  ["a text", "text", "text"],
  ["42", 42, "42"],
  ["false", false, "false"],
  ["an empty object", {}, "{}"],
  ["an object without prototype", Object.assign(Object.create(null) as object, { code: 5 }), "code: 5"],
  ["an Error with an empty message", new Error(""), "Error (no message)"],
  ["an Error whose message is no string", Object.assign(new Error("x"), { message: { a: 1 } }), "a: 1"],
  ["an Error whose message is null", Object.assign(new Error("x"), { message: null }), "null"],
  ["an Error without a stack", Object.assign(new Error("stackless"), { stack: undefined }), "stackless"],
  ["a symbol", Symbol("sign"), "sign"],
  ["a bigint", 2n ** 64n, "18446744073709551616"],
  ["a frozen array", Object.freeze([1, 2]), "1, 2"],
  ["a proxy that fights back", hostile(), "thrown"],
  ["a promise", Promise.resolve(1), "Promise"],
  ["an object that looks like a lost connection", { errno: 1_053, fatal: true }, "1053"],
];

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

describe("E9: handlers that throw something which is not an Error", () => {
  const ways: Readonly<Record<string, (thrown: unknown) => Promise<HandlerResult>>> = {
    "thrown before the first await": (thrown) => {
      throw thrown;
    },
    "rejected later": async (thrown) => {
      await Promise.resolve();
      throw thrown;
    },
  };

  for (const [way, end] of Object.entries(ways)) {
    it(`each is one failed attempt with a text that tells what was thrown (${way})`, async () => {
      const byKey = new Map(THROWN.map(([what, thrown]) => [what, thrown]));
      const log = new CallLog();
      const eventType = `THROWS ${way}`;
      const started = await scenario.start([
        log.handler({ eventType, concurrency: 2, pollIntervalMs: 50 }, (task) =>
          byKey.has(task.bizKey) ? end(byKey.get(task.bizKey)) : true,
        ),
      ]);
      const ids = await scenario.insert(
        ...THROWN.map(([bizKey]) => ({ eventType, bizKey, maxRetryCount: 3, firstRetryInterval: 10 })),
      );
      for (const [index, id] of ids.entries()) {
        const [what, , shown] = THROWN[index] ?? ["", "", ""];
        const row = await started.rowWhere(id, `has failed with ${what}`, ({ retryCount }) => retryCount > 0);
        expect(row).toMatchObject({ status: "pending", retryCount: 1, owner: null });
        expect(row.nextRetryTime.getTime() - row.updateTime.getTime()).toBe(10_000);
        expect(row.lastError).toContain(shown);
        expect(row.errorFingerprint).toMatch(/^[0-9a-f]{16}$/);
      }
      expect(started.engine.health().pools[eventType]).toMatchObject({ running: 0, queued: 0 });
      const next = await started.enqueue({ eventType, bizKey: "next" });
      await started.rowWhere(next.id, "succeeds", ({ status }) => status === "succeeded");
      expect(await scenario.statuses(eventType)).toEqual({ pending: THROWN.length, succeeded: 1 });
      expect(started.of("loopError")).toEqual([]);
    });
  }

  it("the engine's own signals with moments that plain JavaScript got wrong leave no row in status 3", async () => {
    const untyped = (when: unknown) => when as Date;
    const thrown: Readonly<Record<string, unknown>> = {
      "retry after nothing": new RetryAfterError(untyped(undefined)),
      "retry after a number": new RetryAfterError(untyped(60)),
      "retry after an invalid date": new RetryAfterError(new Date("soon")),
      "snooze until null": new Snooze(untyped(null)),
    };
    const started = await scenario.start([
      new CallLog().handler({ eventType: "MOMENTS", pollIntervalMs: 50, retry: { strategy: "FIXED" } }, (task) => {
        throw thrown[task.bizKey];
      }),
    ]);
    for (const bizKey of Object.keys(thrown)) {
      const { id } = await started.enqueue({ eventType: "MOMENTS", bizKey });
      const row = await started.rowWhere(id, "is pending again", ({ status }) => status === "pending");
      const waitMs = row.nextRetryTime.getTime() - row.updateTime.getTime();
      expect([bizKey, waitMs]).toEqual([bizKey, bizKey.startsWith("snooze") ? 1_000 : 10_000]);
      expect(row.retryCount).toBe(bizKey.startsWith("snooze") ? 0 : 1);
    }
  });

  it("a classifier that throws, answers nonsense or answers late makes it one failed attempt", async () => {
    const answers: Readonly<Record<string, () => unknown>> = {
      throws: () => {
        throw new Error("broken classifier");
      },
      nonsense: () => 7,
      empty: () => ({ retryAfter: undefined }),
      late: () => Promise.resolve("fail"),
    };
    const started = await scenario.start([
      new CallLog().handler(
        {
          eventType: "CLASSIFIED",
          retry: { strategy: "FIXED", firstIntervalSeconds: 10 },
          classifyError: (error) => answers[(error as Error).message]?.() as "retry",
        },
        (task) => {
          throw new Error(task.bizKey);
        },
      ),
    ]);
    for (const bizKey of Object.keys(answers)) {
      const { id } = await started.enqueue({ eventType: "CLASSIFIED", bizKey });
      const row = await started.rowWhere(id, "has failed", ({ retryCount }) => retryCount === 1);
      expect(row).toMatchObject({ status: "pending", owner: null });
      expect(row.nextRetryTime.getTime() - row.updateTime.getTime()).toBe(10_000);
    }
  });

  it("an error thrown by the pre-check or by the schema counts as the handler's", async () => {
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({
        eventType: "BEFORE",
        retry: { maxRetryCount: 1 },
        preCheckSkip: () => {
          throw new NonRetryableError("pre-check says never");
        },
      }),
    ]);
    const { id } = await started.enqueue({ eventType: "BEFORE", bizKey: "k" });
    const row = await started.rowWhere(id, "fails", ({ status }) => status === "failed");
    expect(row).toMatchObject({ retryCount: 1, finishReason: "non_retryable" });
    expect(row.lastError).toContain("pre-check says never");
    expect(log.calls).toEqual([]);
  });

  it("nothing of all this has reached the process as an unhandled rejection", () => {
    expect(unhandled).toEqual([]);
  });
});
