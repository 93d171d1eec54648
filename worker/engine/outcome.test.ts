import { describe, expect, it } from "vitest";
import { Cancel, NonRetryableError, RetryAfterError, Snooze, type When } from "./errors.ts";
import type { ErrorVerdict } from "./handler.ts";
import { outcomeOfResult, outcomeOfThrown } from "./outcome.ts";

/** What plain JavaScript may pass although the types forbid it. */
const untyped = <Value>(value: unknown): Value => value as Value;

describe("what a handler returns", () => {
  it.each([undefined, null, true, 0, "", "text", 42, {}, [], "false"])("%j is success", (result) => {
    expect(outcomeOfResult(result)).toEqual({ kind: "succeeded" });
  });

  it("false is a counted failure that says so", () => {
    expect(outcomeOfResult(false)).toEqual({ kind: "failed", thrown: "the handler returned false", isFinal: false });
  });

  it("Snooze and Cancel mean the same returned as thrown", () => {
    for (const signal of [new Snooze({ seconds: 3 }), new Cancel()]) {
      expect(outcomeOfResult(signal)).toEqual(outcomeOfThrown(signal, undefined));
    }
    expect(outcomeOfResult(new Snooze({ seconds: 3 }))).toEqual({ kind: "snoozed", waitMs: 3_000 });
    expect(outcomeOfResult(new Cancel())).toEqual({ kind: "cancelled" });
  });

  it("an error that is returned instead of thrown is still an error of its kind only if it is thrown", () => {
    expect(outcomeOfResult(new Error("returned")).kind).toBe("succeeded");
  });
});

describe("what a handler throws", () => {
  it("an error is a counted failure with the wait of the strategy", () => {
    const thrown = new Error("x");
    expect(outcomeOfThrown(thrown, undefined)).toEqual({ kind: "failed", thrown, isFinal: false });
  });

  it("NonRetryableError is final", () => {
    const thrown = new NonRetryableError("no");
    expect(outcomeOfThrown(thrown, undefined)).toEqual({ kind: "failed", thrown, isFinal: true });
  });

  it("RetryAfterError carries its wait: milliseconds, seconds or an instant", () => {
    const waitMs = (when: When): number | undefined => {
      const outcome = outcomeOfThrown(new RetryAfterError(when), undefined);
      return outcome.kind === "failed" && !outcome.isFinal ? outcome.waitMs : -1;
    };
    expect(waitMs({ ms: 1_234 })).toBe(1_234);
    expect(waitMs({ seconds: 5 })).toBe(5_000);
    expect(waitMs({ ms: -5 })).toBe(0);
    expect(waitMs({ ms: Number.NaN })).toBeUndefined();
    expect(waitMs(new Date(Number.NaN))).toBeUndefined();
    expect(waitMs(new Date(Date.now() - 1_000))).toBe(0);
    const ahead = waitMs(new Date(Date.now() + 60_000));
    expect(ahead).toBeGreaterThan(50_000);
    expect(ahead).toBeLessThanOrEqual(60_000);
  });

  it.each([undefined, null, 60, "60", "2026-01-01", {}, [], Symbol("s"), () => 5])(
    "a moment that plain JavaScript got wrong (%s) is no moment, not a crash",
    (when) => {
      expect(outcomeOfThrown(new RetryAfterError(untyped(when)), undefined)).toMatchObject({
        kind: "failed",
        isFinal: false,
        waitMs: undefined,
      });
      expect(outcomeOfThrown(new Snooze(untyped(when)), undefined)).toEqual({ kind: "snoozed", waitMs: 1_000 });
      expect(outcomeOfResult(new Snooze(untyped(when)))).toEqual({ kind: "snoozed", waitMs: 1_000 });
    },
  );
});

describe("classifyError", () => {
  const thrown = new Error("downstream says 429");
  const by = (verdict: unknown) => outcomeOfThrown(thrown, () => verdict as ErrorVerdict);

  it("retry, fail, and a wait of its own", () => {
    expect(by("retry")).toEqual({ kind: "failed", thrown, isFinal: false });
    expect(by("fail")).toEqual({ kind: "failed", thrown, isFinal: true });
    expect(by({ retryAfter: { seconds: 2 } })).toEqual({ kind: "failed", thrown, isFinal: false, waitMs: 2_000 });
  });

  it("is not asked about the engine's own signals", () => {
    const asked: unknown[] = [];
    const classify = (error: unknown): ErrorVerdict => {
      asked.push(error);
      return "fail";
    };
    expect(outcomeOfThrown(new Snooze({ ms: 5 }), classify).kind).toBe("snoozed");
    expect(outcomeOfThrown(new Cancel(), classify).kind).toBe("cancelled");
    expect(outcomeOfThrown(new RetryAfterError({ ms: 5 }), classify)).toMatchObject({ isFinal: false, waitMs: 5 });
    expect(outcomeOfThrown(new NonRetryableError("x"), classify)).toMatchObject({ isFinal: true });
    expect(asked).toEqual([]);
  });

  it.each([undefined, null, "later", 7, {}, { retryAfter: undefined }, { retryAfter: 60 }, Promise.resolve("fail")])(
    "an answer nobody knows (%s) means retry",
    (verdict) => {
      expect(by(verdict)).toMatchObject({ kind: "failed", isFinal: false });
    },
  );

  it("a classifier that throws means retry", () => {
    const classify = (): ErrorVerdict => {
      throw new Error("broken classifier");
    };
    expect(outcomeOfThrown(thrown, classify)).toEqual({ kind: "failed", thrown, isFinal: false });
  });
});

describe("ends that another copy of the library made", () => {
  const foreign = (name: string, code: string, more: object = {}) =>
    Object.assign(new Error("x"), { name, code, ...more });

  it("mean the same as our own", () => {
    const when = { ms: 5_000 };
    expect(outcomeOfThrown(foreign("NonRetryableError", "NON_RETRYABLE"), undefined)).toMatchObject({ isFinal: true });
    expect(outcomeOfThrown(foreign("RetryAfterError", "RETRY_AFTER", { when }), undefined)).toMatchObject({
      kind: "failed",
      isFinal: false,
      waitMs: 5_000,
    });
    expect(outcomeOfThrown(foreign("Snooze", "SNOOZE", { when }), undefined)).toEqual({
      kind: "snoozed",
      waitMs: 5_000,
    });
    expect(outcomeOfResult(foreign("Cancel", "CANCEL"))).toEqual({ kind: "cancelled" });
  });

  it("are told from errors that only share a word with them", () => {
    expect(outcomeOfThrown(foreign("AbortError", "CANCEL"), undefined)).toMatchObject({
      kind: "failed",
      isFinal: false,
    });
    expect(outcomeOfResult({ name: "Cancel", code: "CANCEL" })).toEqual({ kind: "succeeded" });
  });
});
