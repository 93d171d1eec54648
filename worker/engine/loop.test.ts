import { describe, expect, it } from "vitest";
import { ManualClock, settled } from "../testing/manual-clock.ts";
import { Gate } from "../testing/wait-for.ts";
import { EngineEvents } from "./events.ts";
import { Loop } from "./loop.ts";

class TestLoop extends Loop {
  passes = 0;
  pass: () => Promise<number> | number = () => 1_000;

  constructor(clock: ManualClock, events: EngineEvents) {
    super("test", clock, events);
  }

  override async runOnce(): Promise<number> {
    this.passes++;
    return this.pass();
  }
}

function started(firstWaitMs?: number) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const errors: unknown[] = [];
  events.on("loopError", ({ loop, error }) => errors.push([loop, error]));
  const loop = new TestLoop(clock, events);
  loop.start(firstWaitMs);
  return { clock, loop, errors };
}

describe("Loop", () => {
  it("runs at once, then after the wait that each pass names", async () => {
    const { clock, loop } = started();
    await settled();
    expect(loop.passes).toBe(1);
    await clock.advance(999);
    expect(loop.passes).toBe(1);
    await clock.advance(1);
    expect(loop.passes).toBe(2);
    await loop.stop();
  });

  it("waits before its first pass if told to, and a second start is no second loop", async () => {
    const { clock, loop } = started(500);
    loop.start();
    await settled();
    expect(loop.passes).toBe(0);
    expect(clock.waitsMs).toEqual([500]);
    await clock.advance(500);
    expect(loop.passes).toBe(1);
    await loop.stop();
  });

  it("wake cuts the wait short, and a wake during a pass makes the next one follow at once", async () => {
    const { loop } = started();
    await settled();
    loop.wake();
    await settled();
    expect(loop.passes).toBe(2);
    const gate = new Gate();
    loop.pass = async () => {
      await gate.opened;
      return 1_000;
    };
    loop.wake();
    await settled();
    loop.wake();
    loop.wake();
    loop.pass = () => 1_000;
    gate.open();
    await settled();
    expect(loop.passes).toBe(4);
    await loop.stop();
  });

  it("outlives every error, reports it, and waits longer from error to error, up to a few seconds", async () => {
    const { clock, loop, errors } = started();
    await settled();
    loop.pass = () => Promise.reject(new Error("database is away"));
    const waits: number[] = [];
    await clock.advance(1_000);
    for (let pass = 0; pass < 10; pass++) {
      const [waitMs] = clock.waitsMs;
      waits.push(waitMs ?? -1);
      await clock.advance(waitMs ?? 0);
    }
    expect(errors).toHaveLength(11);
    expect(errors[0]).toEqual(["test", new Error("database is away")]);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...waits)).toBeLessThanOrEqual(3_750);
    expect(waits.at(-1)).toBeGreaterThan(waits[0] ?? Number.POSITIVE_INFINITY);
    loop.pass = () => 1_000;
    await clock.advance(3_750);
    const before = loop.passes;
    await clock.advance(1_000);
    expect(loop.passes).toBe(before + 1);
    await loop.stop();
  });

  it("a wake that came during a failing pass does not turn the wait after it into a hot loop", async () => {
    const { clock, loop } = started();
    await settled();
    loop.pass = () => {
      loop.wake();
      throw new Error("still away");
    };
    await clock.advance(1_000);
    expect(loop.passes).toBe(2);
    await clock.advance(100);
    expect(loop.passes).toBe(2);
    await loop.stop();
  });

  it("stop resolves when the present pass has ended, and no pass follows", async () => {
    const { clock, loop } = started();
    await settled();
    const gate = new Gate();
    loop.pass = async () => {
      await gate.opened;
      return 0;
    };
    await clock.advance(1_000);
    let isStopped = false;
    const stopping = loop.stop().then(() => {
      isStopped = true;
    });
    await settled();
    expect(isStopped).toBe(false);
    gate.open();
    await stopping;
    await clock.advance(100_000);
    expect(loop.passes).toBe(2);
    expect(clock.waitsMs).toEqual([]);
    await loop.stop();
  });

  it("one that never started stops at once and does not start any more", async () => {
    const loop = new TestLoop(new ManualClock(), new EngineEvents());
    await loop.stop();
    loop.start();
    await settled();
    expect(loop.passes).toBe(0);
  });
});
