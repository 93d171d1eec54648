import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_LEVELS_SECONDS, RETRY_STRATEGIES } from "./event-type-settings.ts";
import { backoffMs, type BackoffPolicy, boundedWaitMs, type Chance } from "./backoff.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 2, 29, 0, 59, 30);
const chance: Chance = { random: () => 0.5, databaseNowMs: () => NOW_MS };
const policy = (values: Partial<BackoffPolicy>): BackoffPolicy => ({
  strategy: "FIXED",
  firstIntervalSeconds: 10,
  ...values,
});
const seconds = (of: Partial<BackoffPolicy>, upTo: number, by: Chance = chance): number[] =>
  Array.from({ length: upTo }, (_, index) => backoffMs(policy(of), index + 1, by) / 1_000);

describe("the two strategies of the article, with its own numbers", () => {
  it("FIXED always waits the first interval", () => {
    expect(seconds({ strategy: "FIXED", firstIntervalSeconds: 10 }, 6)).toEqual([10, 10, 10, 10, 10, 10]);
    expect(seconds({ strategy: "FIXED", firstIntervalSeconds: 1 }, 3)).toEqual([1, 1, 1]);
  });

  it("EXPONENTIAL waits first × 2^(n-1), at most exactly 24 hours", () => {
    expect(seconds({ strategy: "EXPONENTIAL", firstIntervalSeconds: 10 }, 8)).toEqual([
      10, 20, 40, 80, 160, 320, 640, 1_280,
    ]);
    // 10 × 2^13 = 81,920 s is below 24 h, 10 × 2^14 is above.
    expect(backoffMs(policy({ strategy: "EXPONENTIAL" }), 14, chance)).toBe(81_920_000);
    expect(backoffMs(policy({ strategy: "EXPONENTIAL" }), 15, chance)).toBe(DAY_MS);
    expect(backoffMs(policy({ strategy: "EXPONENTIAL", firstIntervalSeconds: 1 }), 17, chance)).toBe(65_536_000);
    expect(backoffMs(policy({ strategy: "EXPONENTIAL", firstIntervalSeconds: 1 }), 18, chance)).toBe(DAY_MS);
  });

  it.each([40, 70, 1_100, 5_000, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])(
    "EXPONENTIAL stays at exactly 24 hours after %s failures",
    (failures) => {
      for (const firstIntervalSeconds of [1, 10, 86_400, 2_147_483_647]) {
        expect(backoffMs(policy({ strategy: "EXPONENTIAL", firstIntervalSeconds }), failures, chance)).toBe(DAY_MS);
      }
    },
  );

  it("a first interval above 24 hours is 24 hours", () => {
    expect(backoffMs(policy({ firstIntervalSeconds: 86_400 }), 1, chance)).toBe(DAY_MS);
    expect(backoffMs(policy({ firstIntervalSeconds: 86_401 }), 1, chance)).toBe(DAY_MS);
    expect(backoffMs(policy({ firstIntervalSeconds: 3_000_000 }), 1, chance)).toBe(DAY_MS);
  });

  it("reads the strategy as foreign code may write it, and text nobody knows as EXPONENTIAL", () => {
    expect(seconds({ strategy: " fixed " }, 3)).toEqual([10, 10, 10]);
    expect(seconds({ strategy: "FIBONACCI" }, 3)).toEqual([10, 20, 40]);
    expect(seconds({ strategy: "" }, 3)).toEqual([10, 20, 40]);
  });
});

describe("the other strategies", () => {
  it("LINEAR waits first × n", () => {
    expect(seconds({ strategy: "LINEAR", firstIntervalSeconds: 7 }, 4)).toEqual([7, 14, 21, 28]);
    expect(backoffMs(policy({ strategy: "LINEAR", firstIntervalSeconds: 86_400 }), 2, chance)).toBe(DAY_MS);
  });

  it("LEVELS follows its list and repeats the last entry", () => {
    expect(seconds({ strategy: "LEVELS", levelsSeconds: [3, 5, 9] }, 5)).toEqual([3, 5, 9, 9, 9]);
    expect(seconds({ strategy: "LEVELS", levelsSeconds: [42] }, 2)).toEqual([42, 42]);
  });

  it("LEVELS without a list is the default list: 10 s to 12 h", () => {
    const expected = [10, 15, 30, 60, 120, 240, 360, 480, 600, 1_200, 2_400];
    for (let hour = 1; hour <= 12; hour++) expected.push(hour * 3_600);
    expect([...DEFAULT_LEVELS_SECONDS]).toEqual(expected);
    expect(seconds({ strategy: "LEVELS" }, expected.length + 2)).toEqual([...expected, 43_200, 43_200]);
    expect(seconds({ strategy: "LEVELS", levelsSeconds: [] }, 2)).toEqual([10, 15]);
  });

  it("RANDOM covers its range from end to end", () => {
    const at = (value: number): number =>
      backoffMs(policy({ strategy: "RANDOM", rangeSeconds: [5, 15] }), 1, { ...chance, random: () => value });
    expect(at(0)).toBe(5_000);
    expect(at(0.5)).toBe(10_000);
    expect(at(0.999_999_9)).toBe(15_000);
  });

  it("CRON waits for the next time of its expression, in UTC, by the clock it is given", () => {
    const wait = (cron: string | undefined, nowMs = NOW_MS): number =>
      backoffMs(policy({ strategy: "CRON", cron }), 1, { ...chance, databaseNowMs: () => nowMs });
    expect(wait("0 1 * * *")).toBe(30_000);
    expect(wait("*/15 * * * *")).toBe(30_000);
    // Exactly on the time: the next one, never zero.
    expect(wait("0 1 * * *", Date.UTC(2026, 2, 29, 1, 0, 0))).toBe(DAY_MS);
    // The clock change of a zone does not matter.
    expect(wait("0 * * * *", Date.UTC(2026, 9, 25, 0, 0, 0))).toBe(3_600_000);
    expect(wait("0 * * * *", Date.UTC(2026, 9, 25, 1, 0, 0))).toBe(3_600_000);
  });

  it("CRON that is missing, wrong or never comes waits the first interval; one that is far away waits the cap", () => {
    const wait = (cron: string | undefined): number => backoffMs(policy({ strategy: "CRON", cron }), 1, chance);
    expect(wait(undefined)).toBe(10_000);
    expect(wait("every tuesday")).toBe(10_000);
    expect(wait("0 0 31 2 *")).toBe(10_000);
    expect(wait("0 0 1 1 *")).toBe(DAY_MS);
  });
});

describe("jitter and cap", () => {
  it("spreads around the wait by its share", () => {
    const at = (value: number): number =>
      backoffMs(policy({ firstIntervalSeconds: 100, jitter: 0.2 }), 1, { ...chance, random: () => value });
    expect(at(0)).toBe(80_000);
    expect(at(0.5)).toBe(100_000);
    expect(at(0.999_999_999)).toBe(120_000);
  });

  it("never exceeds the cap, and a jitter of 1 never reaches zero", () => {
    const high = { ...chance, random: () => 0.999_999_999 };
    const low = { ...chance, random: () => 0 };
    expect(backoffMs(policy({ firstIntervalSeconds: 86_400, jitter: 1 }), 1, high)).toBe(DAY_MS);
    expect(backoffMs(policy({ jitter: 1 }), 1, low)).toBe(1);
  });

  it("obeys a cap that was lowered, and takes one above 24 hours for 24 hours", () => {
    expect(seconds({ strategy: "EXPONENTIAL", capSeconds: 30 }, 4)).toEqual([10, 20, 30, 30]);
    expect(backoffMs(policy({ firstIntervalSeconds: 86_400, capSeconds: 1e9 }), 1, chance)).toBe(DAY_MS);
  });

  it("brings a wait that a handler asked for into the same limits", () => {
    expect(boundedWaitMs(1_500.2)).toBe(1_501);
    expect(boundedWaitMs(0)).toBe(1);
    expect(boundedWaitMs(-5)).toBe(1);
    expect(boundedWaitMs(Number.NaN)).toBe(1);
    expect(boundedWaitMs(Number.POSITIVE_INFINITY)).toBe(DAY_MS);
    expect(boundedWaitMs(60_000, 30)).toBe(30_000);
  });
});

describe("for any input", () => {
  const anyNumber = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -1, 5_000, 2 ** 53, 1e308),
  );
  const anyPolicy = fc.record(
    {
      strategy: fc.oneof(fc.constantFrom<string>(...RETRY_STRATEGIES), fc.string()),
      firstIntervalSeconds: anyNumber,
      levelsSeconds: fc.array(anyNumber, { maxLength: 5 }),
      rangeSeconds: fc.tuple(anyNumber, anyNumber),
      cron: fc.oneof(fc.constantFrom("* * * * *", "0 0 * * *", "0 0 31 2 *", "x", "@daily"), fc.string()),
      jitter: anyNumber,
      capSeconds: anyNumber,
    },
    { requiredKeys: ["strategy", "firstIntervalSeconds"] },
  );
  const anyChance = fc.record({
    random: fc.oneof(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), anyNumber),
    nowMs: fc.oneof(fc.integer({ min: 0, max: 4_000_000_000_000 }), anyNumber),
  });

  it("the wait is a whole number of milliseconds from 1 to the cap, at most 24 hours", () => {
    fc.assert(
      fc.property(anyPolicy, anyNumber, anyChance, (given, failures, { random, nowMs }) => {
        const ms = backoffMs(given, failures, { random: () => random, databaseNowMs: () => nowMs });
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(1);
        expect(ms).toBeLessThanOrEqual(DAY_MS);
        const { capSeconds } = given;
        if (capSeconds !== undefined && capSeconds >= 1) expect(ms).toBeLessThanOrEqual(capSeconds * 1_000);
      }),
      { numRuns: 3_000 },
    );
  });

  it("a wait that a handler asked for keeps the same limits", () => {
    fc.assert(
      fc.property(anyNumber, fc.option(anyNumber, { nil: undefined }), (ms, capSeconds) => {
        const bounded = boundedWaitMs(ms, capSeconds);
        expect(Number.isInteger(bounded)).toBe(true);
        expect(bounded).toBeGreaterThanOrEqual(1);
        expect(bounded).toBeLessThanOrEqual(DAY_MS);
      }),
      { numRuns: 2_000 },
    );
  });

  it("without jitter, FIXED, EXPONENTIAL, LINEAR and rising LEVELS never wait shorter after more failures", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("FIXED", "EXPONENTIAL", "LINEAR", "LEVELS"),
        fc.integer({ min: 1, max: 86_400 }),
        fc.integer({ min: 1, max: 5_000 }),
        (strategy, firstIntervalSeconds, failures) => {
          const of = policy({ strategy, firstIntervalSeconds });
          expect(backoffMs(of, failures + 1, chance)).toBeGreaterThanOrEqual(backoffMs(of, failures, chance));
        },
      ),
    );
  });
});
