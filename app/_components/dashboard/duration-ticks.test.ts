import { describe, expect, it } from "vitest";
import { durationTicks } from "./duration-ticks.ts";

describe("durationTicks", () => {
  it.each([
    [0, [0, 1_000]],
    [4_000, [0, 1_000, 2_000, 3_000, 4_000]],
    [4_001, [0, 2_000, 4_000, 6_000]],
    [300_000, [0, 120_000, 240_000, 360_000]],
    [2_625_000, [0, 900_000, 1_800_000, 2_700_000]],
  ])("%i ms", (top, ticks) => {
    expect(durationTicks(top)).toEqual(ticks);
  });

  it("reaches the top of any length with at most four steps", () => {
    for (let top = 1; top < 1e12; top *= 3.7) {
      const ticks = durationTicks(top);
      expect(ticks.length).toBeLessThanOrEqual(5);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(top);
    }
  });
});
