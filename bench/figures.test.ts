import { describe, expect, it } from "vitest";
import { quantile, ratioOf, spreadOf, summaryOf } from "./figures.ts";

describe("figures", () => {
  it("the median of an even number lies between the middle two", () => {
    expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, min: 1, max: 4 });
    expect(spreadOf([7])).toEqual({ median: 7, min: 7, max: 7 });
  });

  it("a quantile is one of the numbers, the last one at most", () => {
    const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(quantile(numbers, 0.5)).toBe(51);
    expect(quantile(numbers, 0.99)).toBe(100);
    expect(quantile(numbers, 1)).toBe(100);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it("a figure that some rounds lack is summed up over the others", () => {
    expect(summaryOf([{ a: 1, b: null }, { a: 3 }, { a: 2, b: null }])).toEqual({ a: { median: 2, min: 1, max: 3 } });
  });

  it("ratios are taken round by round, so that a slow minute cancels out", () => {
    const ours = [{ rate: 100 }, { rate: 10 }, { rate: 60 }];
    const theirs = [{ rate: 50 }, { rate: 5 }, { rate: 20 }];
    expect(ratioOf(ours, theirs, "rate")).toEqual({ median: 2, min: 2, max: 3 });
    expect(ratioOf(ours, [{ rate: 0 }, { rate: null }, {}], "rate")).toBeUndefined();
  });
});
