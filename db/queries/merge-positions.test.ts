import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Fetch, MergedPositions, type Position } from "./merge-positions.ts";

const position = (key: number, id: number): Position => ({ id: String(id), key: [String(key).padStart(4, "0")] });

function compare(a: Position, b: Position): number {
  const [first = "", second = ""] = [a.key[0], b.key[0]];
  if (first !== second) return first < second ? -1 : 1;
  return Number(a.id) - Number(b.id);
}

function mergeOf(lists: readonly Position[][], expected: number, after?: Position) {
  let fetches = 0;
  let entries = 0;
  const source = new MergedPositions({
    branches: lists.map((_, branch) => branch),
    after,
    expected,
    compare,
    fetch: async (wanted: readonly Fetch<number>[]) => {
      fetches++;
      return wanted.map(({ branch, after: from, limit }) => {
        const list = lists[branch] ?? [];
        const rest = from ? list.filter((one) => compare(one, from) > 0) : list;
        entries += Math.min(limit, rest.length);
        return rest.slice(0, limit);
      });
    },
  });
  return { source, fetches: () => fetches, entries: () => entries };
}

const branchLists = fc.array(fc.array(fc.nat(30), { maxLength: 40 }), { maxLength: 150 }).map((lists) => {
  let id = 0;
  return lists.map((keys) => keys.map((key) => position(key, ++id)).sort(compare));
});

describe("MergedPositions", () => {
  it("gives every position of all branches once and in order, however they are asked for", async () => {
    await fc.assert(
      fc.asyncProperty(
        branchLists,
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
        async (lists, steps) => {
          const { source } = mergeOf(lists, steps[0] ?? 1);
          const found: Position[] = [];
          for (let n = 0; ; n++) {
            const count = steps[n % steps.length] ?? 1;
            const more = await source.next(count);
            found.push(...more);
            if (more.length < count) break;
          }
          expect(found).toEqual(lists.flat().sort(compare));
        },
      ),
    );
  });

  it("begins behind a position", async () => {
    const lists = [
      [position(1, 1), position(3, 3)],
      [position(2, 2), position(4, 4)],
    ];
    const found = await mergeOf(lists, 10, position(2, 2)).source.next(10);
    expect(found.map(({ id }) => id)).toEqual(["3", "4"]);
  });

  it("reads a page of 500 branches in a few fetches and a few entries of each", async () => {
    const lists = Array.from({ length: 500 }, (_, branch) =>
      Array.from({ length: 100 }, (_, n) => position(n, n * 500 + branch + 1)),
    );
    const spread = mergeOf(lists, 51);
    expect(await spread.source.next(51)).toHaveLength(51);
    expect(spread.fetches()).toBeLessThanOrEqual(8);
    expect(spread.entries()).toBeLessThanOrEqual(2_000);

    const long = mergeOf(lists, 200);
    expect(await long.source.next(20_000)).toHaveLength(20_000);
    expect(long.fetches()).toBeLessThanOrEqual(60);
  });

  it("reads on in the one branch that holds the whole page", async () => {
    const lists = Array.from({ length: 500 }, (_, branch) =>
      Array.from({ length: branch === 7 ? 300 : 5 }, (_, n) => position(branch === 7 ? 0 : 9, branch * 1_000 + n)),
    );
    const { source, fetches, entries } = mergeOf(lists, 201);
    expect((await source.next(201)).every(({ key }) => key[0] === "0000")).toBe(true);
    expect(fetches()).toBeLessThanOrEqual(14);
    expect(entries()).toBeLessThanOrEqual(3_500);
  });
});
