import { describe, expect, it } from "vitest";
import { DEFAULT_EVENT_TYPE_SETTINGS } from "../../db/event-type-settings.ts";
import type { SQL } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import type { ClaimedTask } from "../../db/queries/claim-tasks.ts";
import type { Session } from "../../db/session.ts";
import { ManualClock, settled } from "../testing/manual-clock.ts";
import { Scenario } from "../testing/scenario.ts";
import { waitFor } from "../testing/wait-for.ts";
import { DatabaseHealth } from "./database-health.ts";
import { EngineEvents } from "./events.ts";
import { EventTypePool } from "./event-type-pool.ts";
import { HeldClaims } from "./held-claims.ts";
import { Poller } from "./poller.ts";

const scenario = new Scenario();
const INTERVAL_MS = 10_000;

/** A poller whose passes the test makes one by one; what it claims is kept. */
function pollerOf(
  eventType: string,
  {
    concurrency = 4,
    random = 0.5,
    intervalMs = INTERVAL_MS,
    lapses = (): number => 0,
    // How long each claim takes the database.
    claimMs = 0,
  } = {},
) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const claimed: ClaimedTask[] = [];
  const held = new HeldClaims();
  const pool = new EventTypePool({ concurrency, queueSize: 0 }, clock, () => new Promise(() => undefined));
  const poller = new Poller(
    {
      eventType,
      claimer: { owner: "w", ip: "127.0.0.1" },
      database: slow(scenario.database.database, () => void clock.advance(claimMs)),
      held,
      health: new DatabaseHealth(clock, events),
      clock,
      events,
      random: () => random,
      settings: () => ({ ...DEFAULT_EVENT_TYPE_SETTINGS, pollIntervalMs: intervalMs, concurrency }),
      holdOffMs: () => 0,
      lapses,
      accept: (tasks) => void claimed.push(...tasks),
    },
    pool,
  );
  const keys = () => claimed.map(({ bizKey }) => bizKey);
  return { clock, poller, pool, held, keys };
}

/** Asked at the begin of each look, which fails by it. */
function lapsesOf(looks: { readonly fail: boolean }): number {
  if (looks.fail) throw new Error("the statement took too long");
  return 0;
}

/** The database, but time passes with each statement that reads rows within a transaction. */
function slow(database: Database, pass: () => void): Database {
  const whole = <Target extends object>(target: Target, name: string, method: (...given: never[]) => unknown): Target =>
    new Proxy(target, {
      get: (_, key) => {
        const value: unknown = key === name ? method : Reflect.get(target, key, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  return whole(database, "transaction", (work: (session: Session) => Promise<unknown>) =>
    database.transaction((session) =>
      work(
        whole(session, "rows", (statement: SQL) => {
          pass();
          return session.rows(statement);
        }),
      ),
    ),
  );
}

describe("Poller", () => {
  it("claims what is due, oldest first, at once again while batches are full, then sleeps until the next due time", async () => {
    const { poller, keys, held } = pollerOf("ORDER", { concurrency: 2 });
    await scenario.insert(
      { eventType: "ORDER", bizKey: "third", dueInMs: -1_000 },
      { eventType: "ORDER", bizKey: "first", dueInMs: -3_000 },
      { eventType: "ORDER", bizKey: "second", dueInMs: -2_000 },
      { eventType: "ORDER", bizKey: "later", dueInMs: 4_000 },
      { eventType: "OTHER", bizKey: "not mine", dueInMs: -9_000 },
    );
    expect(await poller.runOnce()).toBe(0);
    expect(keys()).toEqual(["first", "second"]);
    const waitMs = await poller.runOnce();
    expect(keys()).toEqual(["first", "second", "third"]);
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(4_000);
    expect(held.size).toBe(3);
  });

  it.each([0, 0.5, 0.999])(
    "a row that others insert below a known later due time is found at the next look, within the interval (%s)",
    async (random) => {
      const { clock, poller, keys } = pollerOf(`FOREIGN ${random}`, { random });
      await scenario.insert({ eventType: `FOREIGN ${random}`, bizKey: "tomorrow", dueInMs: 86_400_000 });
      const waitMs = await poller.runOnce();
      expect(waitMs).toBeLessThanOrEqual(INTERVAL_MS);
      await scenario.insert({ eventType: `FOREIGN ${random}`, bizKey: "now" });
      await clock.advance(waitMs);
      await poller.runOnce();
      expect(keys()).toEqual(["now"]);
    },
  );

  it("F17: looks at everything again within the interval, however often a due time wakes it meanwhile", async () => {
    const { clock, poller, keys } = pollerOf("OFTEN", { random: 0.999 });
    await scenario.insert({ eventType: "OFTEN", bizKey: "tomorrow", dueInMs: 86_400_000 });
    await poller.runOnce();
    await clock.advance(INTERVAL_MS / 2);
    const waitMs = await poller.runOnce();
    expect(waitMs).toBeLessThanOrEqual(INTERVAL_MS / 2);
    await scenario.insert({ eventType: "OFTEN", bizKey: "forgotten", dueInMs: -60_000 });
    await clock.advance(waitMs);
    await poller.runOnce();
    expect(keys()).toEqual(["forgotten"]);
  });

  it("F17: a look at everything that took long is not repeated at once; what is due from now on does not wait for it", async () => {
    const { clock, poller, keys } = pollerOf("SLOW", { claimMs: 50 });
    await scenario.insert({ eventType: "SLOW", bizKey: "first" });
    await poller.runOnce();
    await scenario.insert({ eventType: "SLOW", bizKey: "due long ago", dueInMs: -60_000 });
    await scenario.insert({ eventType: "SLOW", bizKey: "due now" });
    poller.poke();
    const waitMs = await poller.runOnce();
    expect(keys()).toEqual(["first", "due now"]);
    expect(waitMs).toBeLessThanOrEqual(20 * 50);
    await clock.advance(waitMs);
    await poller.runOnce();
    expect(keys()).toEqual(["first", "due now", "due long ago"]);
  });

  it.each([
    [25, 500],
    [100, 2_000],
    [3_000, 2_000],
  ])(
    "F17: after a claim of %d ms everything is looked at again when it was asked for, %d ms later",
    async (claimMs, restMs) => {
      const { clock, poller, keys } = pollerOf(`REST ${claimMs}`, { claimMs });
      await scenario.insert({ eventType: `REST ${claimMs}`, bizKey: "first" });
      await poller.runOnce();
      await scenario.insert({ eventType: `REST ${claimMs}`, bizKey: "due long ago", dueInMs: -60_000 });
      poller.poke();
      await clock.advance(restMs - 1);
      expect(await poller.runOnce()).toBe(1);
      expect(keys()).toEqual(["first"]);
      await clock.advance(1);
      await poller.runOnce();
      expect(keys()).toEqual(["first", "due long ago"]);
    },
  );

  it("F17: a claim of 24 ms is no reason to rest", async () => {
    const { poller, keys } = pollerOf("NO REST", { claimMs: 24 });
    await scenario.insert({ eventType: "NO REST", bizKey: "first" });
    await poller.runOnce();
    await scenario.insert({ eventType: "NO REST", bizKey: "due long ago", dueInMs: -60_000 });
    poller.poke();
    await poller.runOnce();
    expect(keys()).toEqual(["first", "due long ago"]);
  });

  it("F17: a first look at everything that fails is not made again before it has rested", async () => {
    const looks = { fail: true };
    const { clock, poller, keys } = pollerOf("FIRST FAILS", { lapses: () => lapsesOf(looks) });
    await scenario.insert({ eventType: "FIRST FAILS", bizKey: "due" });
    await expect(poller.runOnce()).rejects.toThrow("too long");
    looks.fail = false;
    await clock.advance(500);
    expect(await poller.runOnce()).toBe(1_500);
    expect(keys()).toEqual([]);
    await clock.advance(1_500);
    await poller.runOnce();
    expect(keys()).toEqual(["due"]);
  });

  it("a slot that becomes free makes it look for what was given back while it slept", async () => {
    const { clock, poller, pool, keys } = pollerOf("GIVEN BACK");
    poller.start();
    await waitFor("the poller to sleep", () => clock.waitsMs.length === 1);
    poller.sweepNext();
    await scenario.insert({ eventType: "GIVEN BACK", bizKey: "given back", dueInMs: -60_000 });
    pool.onRoom();
    await waitFor("the task to be claimed", () => keys().includes("given back"));
    await poller.stop();
  });

  it("F17: looks at everything no sooner for an interval that is shorter than such a look", async () => {
    const { clock, poller, keys } = pollerOf("SHORT", { intervalMs: 50, claimMs: 300 });
    const waitMs = await poller.runOnce();
    expect(waitMs).toBe(2_000);
    await scenario.insert({ eventType: "SHORT", bizKey: "due long ago", dueInMs: -60_000 });
    await clock.advance(waitMs - 301);
    await poller.runOnce();
    expect(keys()).toEqual([]);
    await clock.advance(1);
    await poller.runOnce();
    expect(keys()).toEqual(["due long ago"]);
  });

  it("F17: a look at everything that fails takes no look from where it stood with it, and is made up for", async () => {
    const looks = { fail: false };
    const { clock, poller, keys } = pollerOf("FAILS", { lapses: () => lapsesOf(looks) });
    await poller.runOnce();
    await scenario.insert({ eventType: "FAILS", bizKey: "due long ago", dueInMs: -60_000 });
    await scenario.insert({ eventType: "FAILS", bizKey: "due now" });
    poller.poke();
    looks.fail = true;
    await expect(poller.runOnce()).rejects.toThrow("too long");
    looks.fail = false;
    const waitMs = await poller.runOnce();
    expect(keys()).toEqual(["due now"]);
    expect(waitMs).toBe(2_000);
    await clock.advance(waitMs);
    await poller.runOnce();
    expect(keys()).toEqual(["due now", "due long ago"]);
  });

  it("asks again at once for a row that is due and not to be had, and after that more slowly", async () => {
    const { poller, keys } = pollerOf("LOCKED");
    const [id] = await scenario.insert({ eventType: "LOCKED", bizKey: "locked" });
    const other = await scenario.database.pool.getConnection();
    try {
      await other.query("START TRANSACTION");
      await other.query("SELECT id FROM t_retry_task WHERE id = ? FOR UPDATE", [id]);
      expect([await poller.runOnce(), await poller.runOnce(), await poller.runOnce()]).toEqual([1, 20, 20]);
      await other.query("ROLLBACK");
    } finally {
      other.release();
    }
    await poller.runOnce();
    expect(keys()).toEqual(["locked"]);
  });

  it("a task that this process has put off is looked for when it is due, though a later one was the next known", async () => {
    const { clock, poller, keys } = pollerOf("PUT OFF");
    await scenario.insert({ eventType: "PUT OFF", bizKey: "tomorrow", dueInMs: 86_400_000 });
    poller.start();
    await waitFor("the poller to sleep", () => clock.waitsMs.length === 1);
    poller.dueIn(1_000);
    poller.dueIn(3_000);
    poller.dueIn(86_400_000);
    expect(clock.waitsMs.length).toBe(2);
    await scenario.insert({ eventType: "PUT OFF", bizKey: "retry" });
    await clock.advance(1_000);
    await waitFor("the retry to be claimed", () => keys().includes("retry"));
    await waitFor("the poller to sleep again", () => clock.waitsMs.length === 1);
    poller.dueIn(2_000);
    await poller.stop();
    await settled();
    expect(clock.waitsMs).toEqual([]);
  });
});
