import { describe, expect, it } from "vitest";
import { systemClock, TIMER_MS_MAX } from "./clock.ts";

describe("systemClock", () => {
  it("the monotonic value does not follow the wall clock and never steps back", () => {
    const first = systemClock.monotonicMs();
    expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(first);
    expect(Math.abs(first - Date.now())).toBeGreaterThan(1e9);
  });

  it("a sleep ends when its signal aborts, also one that had aborted before", async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(60_000, controller.signal);
    controller.abort();
    await sleeping;
    await systemClock.sleep(60_000, controller.signal);
  });

  it.each([TIMER_MS_MAX, TIMER_MS_MAX + 1, 1e18, Number.POSITIVE_INFINITY])(
    "a wait of %s ms does not fire at once, and Node does not warn",
    async (ms) => {
      const warnings: string[] = [];
      const onWarning = (warning: Error): void => void warnings.push(warning.name);
      process.on("warning", onWarning);
      const controller = new AbortController();
      let isFired = false;
      let isAwake = false;
      const cancel = systemClock.after(ms, () => {
        isFired = true;
      });
      const sleeping = systemClock.sleep(ms, controller.signal).then(() => {
        isAwake = true;
      });
      // A timer that overflows becomes 1 ms; one that is set later for 20 ms rings after it.
      await systemClock.sleep(20, new AbortController().signal);
      process.off("warning", onWarning);
      expect({ isFired, isAwake, warnings }).toEqual({ isFired: false, isAwake: false, warnings: [] });
      cancel();
      controller.abort();
      await sleeping;
    },
  );

  it("a negative wait is none, and a timer that was called off never fires", async () => {
    let called = 0;
    const cancel = systemClock.after(0, () => called++);
    cancel();
    await new Promise<void>((resolve) => systemClock.after(-5, resolve));
    expect(called).toBe(0);
  });
});
