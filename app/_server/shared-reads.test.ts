import { describe, expect, it } from "vitest";
import { SharedReads } from "./shared-reads.ts";

describe("SharedReads", () => {
  const setUp = () => {
    const clock = { ms: 0 };
    return { clock, reads: new SharedReads(5_000, () => clock.ms) };
  };

  it("C1: asks once for all who ask while the answer is on its way, however long that takes", async () => {
    const { clock, reads } = setUp();
    let asked = 0;
    let arrive = (_: string) => {};
    const load = () => {
      asked++;
      return new Promise<string>((resolve) => (arrive = resolve));
    };
    const waiting = Array.from({ length: 50 }, () => reads.read("overview", load));
    clock.ms = 60_000;
    waiting.push(reads.read("overview", load));
    arrive("answer");
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["answer"]));
    expect(asked).toBe(1);
  });

  it("keeps an answer for its time from its arrival on, and not a millisecond longer", async () => {
    const { clock, reads } = setUp();
    let asked = 0;
    const load = () => Promise.resolve(++asked);
    expect(await reads.read("a", load)).toBe(1);
    clock.ms = 4_999;
    expect(await reads.read("a", load)).toBe(1);
    clock.ms = 5_000;
    expect(await reads.read("a", load)).toBe(2);
    expect(await reads.read("b", load), "another key is another read").toBe(3);
  });

  it("keeps a read that took long for longer, up to a limit, so that it is a small share of the time", async () => {
    const { clock, reads } = setUp();
    const byCost = { timesCost: 50, maxMs: 30_000 };
    let asked = 0;
    const taking = (ms: number) => () => {
      clock.ms += ms;
      return Promise.resolve(++asked);
    };
    for (const [tookMs, keptMs] of [
      [10, 5_000],
      [200, 10_000],
      [3_000, 30_000],
    ] as const) {
      reads.forgetAll();
      const first = await reads.read("a", taking(tookMs), byCost);
      clock.ms += keptMs - 1;
      expect([tookMs, await reads.read("a", taking(tookMs), byCost)]).toEqual([tookMs, first]);
      clock.ms += 1;
      expect([tookMs, await reads.read("a", taking(tookMs), byCost)]).toEqual([tookMs, first + 1]);
    }
  });

  it("gives nobody an answer that was asked before a change", async () => {
    const { reads } = setUp();
    let arrive = (_: string) => {};
    const before = reads.read("a", () => new Promise<string>((resolve) => (arrive = resolve)));
    reads.forgetAll();
    expect(await reads.read("a", () => Promise.resolve("new"))).toBe("new");
    arrive("old");
    expect(await before).toBe("old");
    expect(await reads.read("a", () => Promise.resolve("newer"))).toBe("new");
  });

  it("asks anew for a person who wants fresh numbers, but joins what is on its way", async () => {
    const { reads } = setUp();
    await reads.read("a", () => Promise.resolve("old"));
    let arrive = (_: string) => {};
    const onItsWay = reads.read("b", () => new Promise<string>((resolve) => (arrive = resolve)));
    reads.forgetArrived();
    expect(await reads.read("a", () => Promise.resolve("fresh"))).toBe("fresh");
    const joined = reads.read("b", () => Promise.reject(new Error("asked twice")));
    arrive("answer");
    expect(await Promise.all([onItsWay, joined])).toEqual(["answer", "answer"]);
  });

  it("does not keep a failure", async () => {
    const { reads } = setUp();
    await expect(reads.read("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect(await reads.read("a", () => Promise.resolve("back"))).toBe("back");
  });
});
