import { describe, expect, it } from "vitest";
import { RedriveError } from "./errors.ts";
import { defineHandler, type HandlerOptions } from "./handler.ts";

const handle = (): void => undefined;
const refusal = (options: object): string => {
  try {
    defineHandler(options as HandlerOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(RedriveError);
    expect((error as RedriveError).code).toBe("INVALID_OPTION");
    return (error as RedriveError).message;
  }
  throw new Error("was not refused");
};

describe("defineHandler", () => {
  it("keeps what was declared and nothing else, so that defaults stay visible as defaults", () => {
    const handler = defineHandler({
      eventType: "PAY_ORDER",
      concurrency: 16,
      timeLimitMs: 30_000,
      retry: { strategy: "EXPONENTIAL", firstIntervalSeconds: 10, maxRetryCount: 8 },
      handle,
    });
    expect(handler.settings).toEqual({
      concurrency: 16,
      timeLimitMs: 30_000,
      strategy: "EXPONENTIAL",
      firstIntervalSeconds: 10,
      maxRetryCount: 8,
    });
    expect(defineHandler({ eventType: "X", handle }).settings).toEqual({});
  });

  it("names every problem at once, with the handler it belongs to", () => {
    const message = refusal({
      eventType: "PAY_ORDER",
      concurency: 3,
      concurrency: 0,
      timeLimitMs: 1e12,
      preCheckSkip: true,
      retry: { maxRetryCount: 0, strategy: "FIBONACCI", firstInterval: 3 },
      handle: "no",
    });
    for (const part of [
      "handler PAY_ORDER",
      'unknown option "concurency"',
      "handle must be a function",
      "preCheckSkip must be a function",
      "concurrency",
      "timeLimitMs",
      "maxRetryCount",
      "strategy",
      "firstInterval",
    ]) {
      expect(message).toContain(part);
    }
  });

  it.each([
    ["concurrency", 1, 1_000],
    ["queueSize", 0, 10_000],
    ["batchSize", 1, 200],
    ["pollIntervalMs", 50, 3_600_000],
    ["timeLimitMs", 10, 86_400_000],
    ["maxRecycles", 1, 100],
  ])("%s takes %i to %i and nothing outside", (name, min, max) => {
    for (const value of [min, max]) expect(defineHandler({ eventType: "X", [name]: value, handle })).toBeDefined();
    for (const value of [min - 1, max + 1, min + 0.5, Number.NaN, Number.POSITIVE_INFINITY, "5", null]) {
      expect(refusal({ eventType: "X", [name]: value, handle })).toContain(name);
    }
  });

  it.each([
    ["firstIntervalSeconds", 1, 86_400],
    ["capSeconds", 1, 86_400],
    ["maxRetryCount", 1, 1_000_000],
    ["jitter", 0, 1],
  ])("retry.%s takes %i to %i and nothing outside", (name, min, max) => {
    for (const value of [min, max]) {
      expect(defineHandler({ eventType: "X", retry: { [name]: value }, handle })).toBeDefined();
    }
    for (const value of [min - 1, max + 1, Number.NaN, 2 ** 31, "5"]) {
      expect(refusal({ eventType: "X", retry: { [name]: value }, handle })).toContain(name);
    }
  });

  it("checks what belongs to a strategy", () => {
    expect(refusal({ eventType: "X", retry: { strategy: "CRON" }, handle })).toContain("needs a cron expression");
    expect(refusal({ eventType: "X", retry: { strategy: "CRON", cron: "tuesday" }, handle })).toContain("tuesday");
    expect(refusal({ eventType: "X", retry: { rangeSeconds: [20, 10] }, handle })).toContain("rangeSeconds");
    expect(refusal({ eventType: "X", retry: { levelsSeconds: [] }, handle })).toContain("levelsSeconds");
    expect(refusal({ eventType: "X", retry: { levelsSeconds: [1, 0] }, handle })).toContain("levelsSeconds");
    expect(defineHandler({ eventType: "X", retry: { strategy: "CRON", cron: "*/5 * * * *" }, handle })).toBeDefined();
  });

  it.each([
    ["empty", "", "empty"],
    ["no text", 7, "empty"],
    ["65 characters", "x".repeat(65), "longer than 64"],
    ["65 four-byte characters", "😀".repeat(65), "longer than 64"],
    ["a line break", "a\nb", "control character"],
    ["NUL", "a\0b", "control character"],
    ["half a surrogate pair", "a\ud800", "surrogate"],
    ["a blank at its end", "a ", "blank"],
  ])("refuses an event type that is %s", (_, eventType, part) => {
    expect(refusal({ eventType, handle })).toContain(part);
  });

  it.each(["x".repeat(64), "😀".repeat(64), "订单支付", "pay order"])("takes the event type %s", (eventType) => {
    expect(defineHandler({ eventType, handle }).eventType).toBe(eventType);
  });
});
