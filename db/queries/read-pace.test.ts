import { describe, expect, it } from "vitest";
import { ReadPace } from "./read-pace.ts";

/** The sizes of the reads of one page, each of whose rows takes so long. */
function reads(rowMs: (read: number) => number, isGivenUp?: (read: number) => boolean): number[] {
  const clock = { ms: 5_000 };
  const sizes: number[] = [];
  const pace = new ReadPace({
    ...{ budgetMs: 80, firstRows: 51, rowsMax: 200, nowMs: () => clock.ms },
    isGivenUp: () => isGivenUp?.(sizes.length) ?? false,
  });
  for (;;) {
    const rows = pace.next();
    if (rows === 0) return sizes;
    clock.ms += rows * rowMs(sizes.length);
    sizes.push(rows);
  }
}
const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);

describe("ReadPace", () => {
  it("looks at thousands of rows that lie in memory, each read twice the one before up to its limit", () => {
    const sizes = reads(() => 0.01);
    expect(sizes.slice(0, 4)).toEqual([51, 102, 200, 200]);
    expect(sum(sizes)).toBeGreaterThanOrEqual(8_000);
  });

  it.each([0.1, 0.5, 1])("keeps its time but for one small read where a row takes %d ms", (rowMs) => {
    const sizes = reads(() => rowMs);
    expect(sum(sizes) * rowMs).toBeGreaterThanOrEqual(80);
    expect(sum(sizes.slice(0, -1)) * rowMs).toBeLessThan(80);
    expect(Math.max(...sizes.slice(1)) * rowMs).toBeLessThanOrEqual(20);
  });

  it("begins no more than one read of a disk that is slower than any time, and that one always", () => {
    expect(reads(() => 100)).toEqual([51]);
  });

  it("reads less at once as soon as rows come from the disk", () => {
    const sizes = reads((read) => (read < 3 ? 0.01 : 0.5));
    expect(sizes.slice(0, 4)).toEqual([51, 102, 200, 200]);
    expect(Math.max(...sizes.slice(4))).toBeLessThanOrEqual(40);
  });

  it("does not stand still where the clock does", () => {
    const pace = new ReadPace({ budgetMs: 80, firstRows: 10, rowsMax: 200, nowMs: () => 1 });
    expect([pace.next(), pace.next(), pace.next()]).toEqual([10, 20, 40]);
  });

  it("ends after the first read once nobody waits any more", () => {
    expect(
      reads(
        () => 0.01,
        () => true,
      ),
    ).toEqual([51]);
  });
});
