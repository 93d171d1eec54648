import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerWorker } from "../../db/queries/workers.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { systemClock } from "../engine/clock.ts";
import { archiveAll, insertEnded } from "../testing/archive-scene.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { waitFor } from "../testing/wait-for.ts";
import { ArchivePace, type Brake, createArchivePace, HistoryBrake, ReplicaBrake } from "./archive-pace.ts";

let primary: TestDatabase;
let replica: TestDatabase;
beforeAll(async () => {
  [primary, replica] = await Promise.all([createTestDatabase(), createTestDatabase()]);
});
afterAll(() => Promise.all([primary.drop(), replica.drop()]));

const never = new AbortController().signal;

describe("the pace", () => {
  it("gives every batch the time of its rows, and makes lost time good within limits", async () => {
    const clock = new ManualClock();
    const pace = new ArchivePace({ rowsPerSecond: 1_000, restShare: 0, brakes: [], clock });
    const batch = async (rows: number, tookMs: number) => {
      const startedMs = clock.monotonicMs();
      await clock.advance(tookMs);
      pace.moved(rows, startedMs);
      const before = clock.monotonicMs();
      const waiting = pace.wait(never);
      const [waitMs = 0] = clock.waitsMs;
      await clock.advance(waitMs);
      await waiting;
      return clock.monotonicMs() - before;
    };
    // The first may use the credit of 250 ms; later ones take 200 ms each.
    expect([await batch(450, 10), await batch(200, 10), await batch(200, 150)]).toEqual([190, 190, 50]);
    // A batch that took 5 s is not followed by 5 s without a pause.
    expect([await batch(200, 5_000), await batch(450, 0), await batch(200, 0)]).toEqual([0, 200, 200]);
  });

  it("rests after each batch for a share of the time that it took, so that a slow server gets less to do", async () => {
    const clock = new ManualClock();
    const pace = new ArchivePace({ rowsPerSecond: 1_000, restShare: 0.5, brakes: [], clock });
    const restAfter = async (rows: number, tookMs: number) => {
      const startedMs = clock.monotonicMs();
      await clock.advance(tookMs);
      pace.moved(rows, startedMs);
      const waiting = pace.wait(never);
      const [waitMs = 0] = clock.waitsMs;
      await clock.advance(waitMs);
      await waiting;
      return waitMs;
    };
    expect(await restAfter(50, 10)).toBe(5);
    expect(await restAfter(50, 2_000)).toBe(1_000);
    // Once the lost time is made good, the pace itself leaves a longer rest.
    expect([await restAfter(200, 10), await restAfter(200, 10)]).toEqual([5, 125]);
  });

  it("lets small batches go while there is a limit, and those of a statement without one", () => {
    const batchRows = (options: { rowsPerSecond: number; batchRows?: number }) =>
      new ArchivePace({ ...options, brakes: [], clock: new ManualClock() }).batchRows;
    expect(batchRows({ rowsPerSecond: 5_000 })).toBeLessThanOrEqual(100);
    expect(batchRows({ rowsPerSecond: 1_001 })).toBeLessThanOrEqual(100);
    expect(batchRows({ rowsPerSecond: 1_000 })).toBe(200);
    expect(batchRows({ rowsPerSecond: 0 })).toBe(200);
    expect(batchRows({ rowsPerSecond: 5_000, batchRows: 1_000 })).toBe(200);
  });

  it("knows no limit at 0, and a sleep is cut short by the signal", async () => {
    const clock = new ManualClock();
    const free = new ArchivePace({ rowsPerSecond: 0, brakes: [], clock });
    free.moved(1_000_000, clock.monotonicMs());
    await free.wait(never);
    const slow = new ArchivePace({ rowsPerSecond: 1, brakes: [], clock });
    slow.moved(1_000, clock.monotonicMs());
    const stop = new AbortController();
    const waiting = slow.wait(stop.signal);
    stop.abort();
    await waiting;
  });

  it("asks its brakes every five seconds, and goes on without one that cannot be asked", async () => {
    const clock = new ManualClock();
    let reason: string | undefined = "too much";
    const errors: string[] = [];
    const brakes: Brake[] = [
      { name: "broken", reason: () => Promise.reject(new Error("access denied")) },
      { name: "works", reason: () => Promise.resolve(reason) },
    ];
    const pace = new ArchivePace({ rowsPerSecond: 0, brakes, clock, onBrakeError: (brake) => errors.push(brake) });
    expect(await pace.obstacle()).toBe("too much");
    reason = undefined;
    await clock.advance(4_999);
    expect(await pace.obstacle()).toBe("too much");
    await clock.advance(1);
    expect(await pace.obstacle()).toBeUndefined();
    expect(errors).toEqual(["broken", "broken"]);
  });
});

describe("the brakes", () => {
  it("hold while more old row versions wait for purge than allowed", async () => {
    expect(await new HistoryBrake(primary.database, 1_000_000_000).reason()).toBeUndefined();
    expect(await new HistoryBrake(primary.database, -1).reason()).toMatch(
      /\d+ old row versions wait for purge, more than -1/,
    );
  });

  it("hold while a replica is behind by its newest heartbeat, and not for one that cannot be reached", async () => {
    const beat = async ({ database }: TestDatabase, at: Date) =>
      database.use(async (session) => {
        const clocked = session.at(at);
        await clocked.run("DELETE FROM t_retry_worker");
        await registerWorker(clocked, {
          owner: "w",
          host: "h",
          ip: "1",
          pid: 1,
          version: "1",
          deadAfterMs: 1,
          eventTypes: [],
        });
      });
    const brake = new ReplicaBrake(primary.database, { connection: replica.connection, zone: replica.zone }, 10_000);
    const at = new Date("2026-03-01T12:00:00.000Z");
    expect(await brake.reason()).toBeUndefined();
    await beat(primary, at);
    expect(await brake.reason()).toMatch(/without any heartbeat/);
    await beat(replica, new Date(at.getTime() - 10_000));
    expect(await brake.reason()).toBeUndefined();
    await beat(replica, new Date(at.getTime() - 12_000));
    expect(await brake.reason()).toMatch(/the replica .*redrive_test.* is 12 s behind, more than 10 s/);
    await brake.close();

    const errors: string[] = [];
    const gone = createArchivePace(
      {
        rowsPerSecond: 0,
        historyMax: 1e12,
        replicas: [{ host: "127.0.0.1", port: 1, user: "x", database: "x" }],
        replicaLagMsMax: 10_000,
      },
      { database: primary.database, clock: systemClock, onBrakeError: (name) => errors.push(name) },
    );
    expect(await gone.pace.obstacle()).toBeUndefined();
    expect(errors).toEqual([expect.stringContaining("replica")]);
    await gone.close();
  });

  it("stop a run where it is, and let it go on when they give way", async () => {
    await insertEnded(primary, { eventType: "BRAKE", count: 500, attempts: 0 });
    const clock = new ManualClock();
    let reason: string | undefined;
    const pace = new ArchivePace({
      rowsPerSecond: 0,
      clock,
      brakes: [{ name: "b", reason: () => Promise.resolve(reason) }],
    });
    const states: [number, string | undefined][] = [];
    const run = archiveAll(primary, {
      eventType: "BRAKE",
      clock,
      pace,
      onProgress: ({ tasks, pause }) => {
        states.push([tasks, pause]);
        if (tasks === 200 && pause === undefined) {
          reason = "replica is behind";
          void clock.advance(5_000);
        }
      },
    });
    await waitFor("the run to pause", () => states.some(([, pause]) => pause !== undefined));
    reason = undefined;
    await waitFor("the run to go on", async () => {
      await clock.advance(2_000);
      return states.at(-1)?.[0] === 500;
    });
    expect(await run).toMatchObject({ tasks: 500, isComplete: true, pause: undefined });
    expect(states.find(([, pause]) => pause !== undefined)).toEqual([200, "replica is behind"]);
  });
});
