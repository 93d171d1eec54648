import { describe, expect, it } from "vitest";
import { claimedTask } from "../testing/claimed-task.ts";
import { ManualClock, settled } from "../testing/manual-clock.ts";
import { EventTypePool } from "./event-type-pool.ts";

/** A pool whose tasks end when the test says so. */
function poolOf(concurrency: number, queueSize: number) {
  const clock = new ManualClock();
  const started: string[] = [];
  const endings = new Map<string, () => void>();
  const pool = new EventTypePool({ concurrency, queueSize }, clock, (task) => {
    started.push(task.id);
    return new Promise((resolve) => endings.set(task.id, resolve));
  });
  const end = async (id: string): Promise<void> => {
    endings.get(id)?.();
    await settled();
  };
  /** Runs one task that takes so long, so that the pool knows its speed. */
  const runFor = async (ms: number): Promise<void> => {
    pool.submit(claimedTask("speed"));
    await clock.advance(ms);
    await end("speed");
    started.splice(0);
  };
  return { clock, pool, started, end, runFor };
}

describe("slots", () => {
  it("runs at most `concurrency` at once and starts the next when one ends, in order", async () => {
    const { pool, started, end } = poolOf(2, 10);
    for (const id of ["1", "2", "3", "4"]) pool.submit(claimedTask(id));
    expect(started).toEqual(["1", "2"]);
    expect([pool.running, pool.queued]).toEqual([2, 2]);
    await end("2");
    expect(started).toEqual(["1", "2", "3"]);
    await end("1");
    await end("3");
    expect(started).toEqual(["1", "2", "3", "4"]);
    expect([pool.running, pool.queued]).toEqual([1, 0]);
  });

  it("a raised concurrency starts waiting tasks at once, a lowered one lets running tasks end", async () => {
    const { pool, started, end } = poolOf(1, 10);
    for (const id of ["1", "2", "3", "4"]) pool.submit(claimedTask(id));
    pool.limits = { concurrency: 3, queueSize: 10 };
    expect(started).toEqual(["1", "2", "3"]);
    pool.limits = { concurrency: 1, queueSize: 0 };
    await end("1");
    await end("2");
    expect(started).toEqual(["1", "2", "3"]);
    expect(pool.room).toBe(0);
    await end("3");
    expect(started).toEqual(["1", "2", "3", "4"]);
  });

  it("whenIdle resolves only when nothing runs or waits", async () => {
    const { pool, end } = poolOf(1, 10);
    await pool.whenIdle();
    pool.submit(claimedTask("1"));
    pool.submit(claimedTask("2"));
    let isIdle = false;
    const idle = pool.whenIdle().then(() => {
      isIdle = true;
    });
    await end("1");
    expect(isIdle).toBe(false);
    await end("2");
    await idle;
  });
});

describe("prefetch: claimed tasks that may wait", () => {
  it("is none before the speed is known and for a slow type, whatever the queue size", async () => {
    const { pool, runFor } = poolOf(4, 100);
    expect([pool.prefetch, pool.room]).toEqual([0, 4]);
    await runFor(1_000);
    expect([pool.prefetch, pool.room]).toEqual([0, 4]);
  });

  it("is what runs within 50 ms at the present speed, at most the queue size", async () => {
    const fast = poolOf(4, 100);
    await fast.runFor(10);
    expect(fast.pool.prefetch).toBe(20);
    expect(fast.pool.room).toBe(24);
    const bounded = poolOf(4, 7);
    await bounded.runFor(10);
    expect(bounded.pool.prefetch).toBe(7);
    const instant = poolOf(4, 10_000);
    await instant.runFor(0);
    expect(instant.pool.prefetch).toBe(1_000);
    const without = poolOf(4, 0);
    await without.runFor(0);
    expect([without.pool.prefetch, without.pool.room]).toEqual([0, 4]);
  });

  it("the poller claims again only when half of it is used up", async () => {
    const { pool, runFor, end } = poolOf(2, 4);
    await runFor(10);
    expect(pool.prefetch).toBe(4);
    for (const id of ["1", "2", "3", "4", "5", "6"]) pool.submit(claimedTask(id));
    expect([pool.room, pool.claimableRoom]).toEqual([0, 0]);
    await end("1");
    expect(pool.room).toBe(1);
    expect(pool.claimableRoom).toBe(0);
    await end("2");
    expect(pool.claimableRoom).toBe(2);
  });

  it("gives the whole queue back when its head has waited too long, and then prefetches no more", async () => {
    const { pool, runFor, clock } = poolOf(1, 10);
    await runFor(10);
    for (const id of ["1", "2", "3"]) pool.submit(claimedTask(id));
    await clock.advance(1_999);
    expect(pool.takeStalled(2_000)).toEqual([]);
    await clock.advance(1);
    expect(pool.takeStalled(2_000).map(({ id }) => id)).toEqual(["2", "3"]);
    expect([pool.queued, pool.prefetch]).toEqual([0, 0]);
    expect(pool.takeStalled(2_000)).toEqual([]);
  });
});

describe("reserved places", () => {
  it("count as taken until they are used or given back", () => {
    const { pool, started } = poolOf(2, 0);
    expect(pool.reserve()).toBe(true);
    expect(pool.reserve()).toBe(true);
    expect(pool.reserve()).toBe(false);
    expect(pool.room).toBe(0);
    pool.unreserve();
    expect(pool.room).toBe(1);
    pool.submitReserved(claimedTask("1"));
    expect(started).toEqual(["1"]);
    expect(pool.room).toBe(1);
  });

  it("leave half of the slots to older tasks while the table has a backlog", async () => {
    const { pool, end } = poolOf(4, 0);
    pool.hasBacklog = true;
    expect([pool.reserve(), pool.reserve(), pool.reserve()]).toEqual([true, true, false]);
    expect(pool.room).toBe(2);
    pool.submitReserved(claimedTask("1"));
    expect(pool.reserve()).toBe(false);
    await end("1");
    expect(pool.reserve()).toBe(true);
    pool.hasBacklog = false;
    expect(pool.reserve()).toBe(true);
  });

  it("room is told whenever there may be some", async () => {
    const { pool, end } = poolOf(1, 0);
    let told = 0;
    pool.onRoom = () => told++;
    pool.reserve();
    pool.submitReserved(claimedTask("1"));
    expect(told).toBe(0);
    await end("1");
    expect(told).toBe(1);
    pool.reserve();
    pool.unreserve();
    expect(told).toBe(2);
  });

  it("a queue that is emptied frees its eager share", async () => {
    const { pool, runFor } = poolOf(2, 10);
    await runFor(10);
    pool.submit(claimedTask("1"));
    pool.submit(claimedTask("2"));
    pool.reserve();
    pool.submitReserved(claimedTask("3"));
    pool.hasBacklog = true;
    expect(pool.reserve()).toBe(false);
    expect(pool.takeQueued().map(({ id }) => id)).toEqual(["3"]);
    expect(pool.reserve()).toBe(true);
  });
});
