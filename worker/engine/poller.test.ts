import { describe, expect, it } from "vitest";
import { DEFAULT_EVENT_TYPE_SETTINGS } from "../../db/event-type-settings.ts";
import type { ClaimedTask } from "../../db/queries/claim-tasks.ts";
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
function pollerOf(eventType: string, concurrency = 4, random = 0.5) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const claimed: ClaimedTask[] = [];
  const held = new HeldClaims();
  const pool = new EventTypePool({ concurrency, queueSize: 0 }, clock, () => new Promise(() => undefined));
  const poller = new Poller(
    {
      eventType,
      claimer: { owner: "w", ip: "127.0.0.1" },
      database: scenario.database.database,
      held,
      health: new DatabaseHealth(clock, events),
      clock,
      events,
      random: () => random,
      settings: () => ({ ...DEFAULT_EVENT_TYPE_SETTINGS, pollIntervalMs: INTERVAL_MS, concurrency }),
      holdOffMs: () => 0,
      lapses: () => 0,
      accept: (tasks) => void claimed.push(...tasks),
    },
    pool,
  );
  const keys = () => claimed.map(({ bizKey }) => bizKey);
  return { clock, poller, held, keys };
}

describe("Poller", () => {
  it("claims what is due, oldest first, at once again while batches are full, then sleeps until the next due time", async () => {
    const { poller, keys, held } = pollerOf("ORDER", 2);
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
      const { clock, poller, keys } = pollerOf(`FOREIGN ${random}`, 4, random);
      await scenario.insert({ eventType: `FOREIGN ${random}`, bizKey: "tomorrow", dueInMs: 86_400_000 });
      const waitMs = await poller.runOnce();
      expect(waitMs).toBeLessThanOrEqual(INTERVAL_MS);
      await scenario.insert({ eventType: `FOREIGN ${random}`, bizKey: "now" });
      await clock.advance(waitMs);
      await poller.runOnce();
      expect(keys()).toEqual(["now"]);
    },
  );

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
