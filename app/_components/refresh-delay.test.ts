import { describe, expect, it } from "vitest";
import { refreshDelayMs } from "./refresh-delay.ts";

describe("refreshDelayMs", () => {
  it("stays within ten per cent of five seconds and is the same for the same seed", () => {
    const delays = Array.from({ length: 1_000 }, (_, seed) => refreshDelayMs(0, seed));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(4_500);
    expect(Math.max(...delays)).toBeLessThanOrEqual(5_500);
    expect(refreshDelayMs(0, 1_700_000_000_123)).toBe(refreshDelayMs(0, 1_700_000_000_123));
  });

  it("doubles with each failure in a row and ends at one minute", () => {
    expect([1, 2, 3, 4, 50, 5_000].map((failures) => refreshDelayMs(failures, 500))).toEqual([
      10_000, 20_000, 40_000, 60_000, 60_000, 60_000,
    ]);
  });
});
