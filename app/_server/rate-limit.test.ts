import { expect, it } from "vitest";
import { RateLimit } from "./rate-limit.ts";

it("admits so many of each subject within a time, and anew after it", () => {
  let nowMs = 0;
  const limit = new RateLimit({ count: 2, withinMs: 1_000, nowMs: () => nowMs });
  const admitted = (subject: string) => Array.from({ length: 3 }, () => limit.admits(subject));
  expect(admitted("a")).toEqual([true, true, false]);
  expect(admitted("b")).toEqual([true, true, false]);
  nowMs = 999;
  expect(limit.admits("a")).toBe(false);
  nowMs = 1_000;
  expect(admitted("a")).toEqual([true, true, false]);
});
