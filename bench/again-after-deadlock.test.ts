import { describe, expect, it } from "vitest";
import { againAfterDeadlock } from "./again-after-deadlock.ts";
import type { Running } from "./contestant.ts";

function failing(message: string, times: number): Running & { calls: number } {
  const running = {
    calls: 0,
    enqueue: () => (running.calls++ < times ? Promise.reject(new Error(message)) : Promise.resolve()),
    enqueueMany: () => running.enqueue(),
    work: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return running;
}

describe("againAfterDeadlock", () => {
  it("calls again until the server accepts, and counts", async () => {
    const running = failing("Deadlock found when trying to get lock; try restarting transaction", 3);
    const persistent = againAfterDeadlock(running);
    await persistent.enqueue(1);
    expect({ calls: running.calls, deadlocks: persistent.deadlocks }).toEqual({ calls: 4, deadlocks: 3 });
  });

  it("does not call again after another error: the task may be there", async () => {
    const running = failing("Connection lost", 1);
    await expect(againAfterDeadlock(running).enqueueMany([1, 2])).rejects.toThrow("Connection lost");
    expect(running.calls).toBe(1);
  });

  it("gives up when nothing else happens", async () => {
    await expect(againAfterDeadlock(failing("deadlock", Infinity)).enqueue(1)).rejects.toThrow("deadlock");
  });
});
