import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import {
  beatStatement,
  listDeadOwners,
  listWorkers,
  registerWorker,
  removeGoneWorkers,
  reportWorker,
  stopWorker,
} from "./workers.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");
const DEAD_AFTER_MS = 15_000;
const before = (ms: number) => new Date(NOW.getTime() - ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => inSession((session) => session.run("DELETE FROM t_retry_worker")));

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const register = (owner: string, beatAt = NOW, values: { host?: string; deadAfterMs?: number } = {}) =>
  inSession((session) =>
    registerWorker(session.at(beatAt), {
      owner,
      host: "host",
      ip: "10.0.0.1",
      pid: 42,
      version: "1.2.3",
      deadAfterMs: DEAD_AFTER_MS,
      eventTypes: ["TEST"],
      ...values,
    }),
  );
const beat = (owner: string) => inSession((session) => session.change(beatStatement(session.zone, owner)));
const list = (limit?: number) => inSession((session) => listWorkers(session.at(NOW), limit));
const listDead = () => inSession((session) => listDeadOwners(session.at(NOW)));

describe("the registry of workers", () => {
  it("keeps what a process tells of itself", async () => {
    await register("one");
    const pools = { TEST: { concurrency: 4, running: 3, queued: 2 } };
    expect(await inSession((session) => reportWorker(session, { owner: "one", state: "draining", pools }))).toBe(1);
    expect(await list()).toEqual([
      {
        owner: "one",
        host: "host",
        ip: "10.0.0.1",
        pid: 42,
        version: "1.2.3",
        state: "draining",
        eventTypes: ["TEST"],
        pools,
        startedAt: NOW,
        beatAt: NOW,
        isAlive: true,
      },
    ]);
  });

  it("takes a worker for alive to the millisecond of its limit, and for dead after it", async () => {
    await register("at its limit", before(DEAD_AFTER_MS));
    await register("late", before(DEAD_AFTER_MS + 1));
    await register("patient", before(DEAD_AFTER_MS + 1), { deadAfterMs: DEAD_AFTER_MS + 1 });
    expect(await listDead()).toEqual(["late"]);
    const alive = (await list()).filter(({ isAlive }) => isAlive).map(({ owner }) => owner);
    expect(alive.sort()).toEqual(["at its limit", "patient"]);
  });

  it("takes a stopped worker for dead at once, and no beat or report brings it back", async () => {
    await register("one");
    await inSession((session) => stopWorker(session, "one"));
    expect((await beat("one")).affectedRows).toBe(0);
    const report = { owner: "one", state: "running", pools: {} } as const;
    expect(await inSession((session) => reportWorker(session, report))).toBe(0);
    expect(await listDead()).toEqual(["one"]);
    expect(await list()).toEqual([expect.objectContaining({ state: "stopped", isAlive: false, pools: {} })]);
  });

  it("brings a late worker back with its beat, by the clock of the database", async () => {
    await register("late", new Date("2020-01-01T00:00:00Z"));
    expect(await inSession(listDeadOwners)).toEqual(["late"]);
    expect((await beat("late")).affectedRows).toBe(1);
    expect(await inSession(listDeadOwners)).toEqual([]);
  });

  it("tells a worker that is not registered by a beat that changes nothing", async () => {
    await register("one");
    expect((await beat("ONE")).affectedRows).toBe(0);
  });

  it("takes a second entry of the same run for one", async () => {
    await register("one", new Date("2020-01-01T00:00:00Z"));
    await register("one");
    expect((await list()).map(({ owner }) => owner)).toEqual(["one"]);
    expect(await inSession(listDeadOwners)).toEqual([]);
  });

  it("cuts a host name that is too long for its column", async () => {
    await register("one", NOW, { host: "h".repeat(300) });
    expect((await list())[0]?.host).toBe("h".repeat(255));
  });

  it("lists the newest first, up to the limit", async () => {
    await register("oldest", before(2_000));
    await register("newest", before(0));
    await register("middle", before(1_000));
    expect((await list(2)).map(({ owner }) => owner)).toEqual(["newest", "middle"]);
  });
});

describe("removeGoneWorkers", () => {
  it("removes owners that have been silent for longer than the limit and keeps one exactly at it", async () => {
    await register("at the limit", before(86_400_000));
    await register("gone", before(86_400_001));
    await register("alive", NOW);
    expect(await inSession((session) => removeGoneWorkers(session.at(NOW), 86_400_000))).toBe(1);
    expect((await list()).map(({ owner }) => owner)).toEqual(["alive", "at the limit"]);
  });
});
