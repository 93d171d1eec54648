import { describe, expect, it } from "vitest";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import type { TestEngine } from "../../testing/test-engine.ts";
import { Gate, waitFor } from "../../testing/wait-for.ts";

const scenario = new Scenario();

/** Many due rows with one statement, older than everything else. */
async function flood(eventType: string, count: number, values = "0, NULL, '2020-01-01 00:00:00.000'"): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    const rows = Array.from(
      { length: Math.min(1_000, count - from) },
      (_, index) => `('${eventType}', 'old-${from + index}', '{}', 5, 'FIXED', 10, ${values})`,
    );
    await scenario.rows(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, max_retry_count, retry_strategy, first_retry_interval,
        status, owner, next_retry_time) VALUES ${rows.join(",")}`,
    );
  }
}

const insertMany = (eventType: string, count: number) =>
  scenario.insert(...Array.from({ length: count }, (_, index) => ({ eventType, bizKey: `new-${index}` })));
const isDone = (eventType: string, count: number) =>
  waitFor(`${eventType} to be done`, async () => (await scenario.statuses(eventType))["succeeded"] === count, 60_000);
const claimsOf = (started: TestEngine, eventType: string) =>
  started.of("claimed").filter((event) => event.eventType === eventType);

describe("E11: one busy event type in front of all others", () => {
  it("5,000 older rows of a blocked type: the idle type's 100 rows are all done, the blocked rows are not touched", async () => {
    const gate = new Gate();
    const a = new CallLog();
    const b = new CallLog();
    await flood("A", 5_000);
    const started = await scenario.start([
      a.handler(
        { eventType: "A", concurrency: 4, queueSize: 50, batchSize: 50, pollIntervalMs: 100 },
        () => gate.opened,
      ),
      b.handler({ eventType: "B", concurrency: 4, batchSize: 50, pollIntervalMs: 100 }),
    ]);
    await waitFor("A to be full", () => a.calls.length === 4);
    const untouched = () =>
      scenario.rows(
        "SELECT id, update_time, retry_count, next_retry_time, claim_no FROM t_retry_task WHERE event_type = 'A' AND status = 0 ORDER BY id",
      );
    const before = await untouched();
    expect(before).toHaveLength(4_996);
    await insertMany("B", 100);
    await isDone("B", 100);
    // Some more polls of B, one after the other, while A stays blocked.
    for (let poll = 0; poll < 5; poll++) {
      const [id = ""] = await scenario.insert({ eventType: "B", bizKey: `poll-${poll}` });
      await started.rowWhere(id, "is polled", ({ status }) => status === "succeeded");
    }
    expect(a.calls).toHaveLength(4);
    expect(await untouched()).toEqual(before);
    expect(claimsOf(started, "A").reduce((sum, { count }) => sum + count, 0)).toBe(4);
    expect(started.of("released")).toEqual([]);
    expect(b.calls).toHaveLength(105);
    gate.open();
    await waitFor("A to go on", () => a.calls.length > 100);
  });

  it("20 types of which one is blocked: the other 19 are all done", async () => {
    const gate = new Gate();
    const names = Array.from({ length: 20 }, (_, index) => `T${index}`);
    const log = new CallLog();
    await flood("T0", 500);
    for (const name of names.slice(1)) await insertMany(name, 10);
    await scenario.start(
      names.map((eventType) =>
        log.handler({ eventType, concurrency: 2, pollIntervalMs: 100 }, () =>
          eventType === "T0" ? gate.opened : true,
        ),
      ),
    );
    for (const name of names.slice(1)) await isDone(name, 10);
    expect(await scenario.statuses("T0")).toEqual({ running: 2, pending: 498 });
    gate.open();
  });

  it("new tasks of a type with a backlog still run eagerly, and its backlog still gets slots", async () => {
    const gate = new Gate();
    const log = new CallLog();
    await flood("MIXED", 50);
    const started = await scenario.start([
      log.handler({ eventType: "MIXED", concurrency: 4, pollIntervalMs: 50 }, (task) =>
        task.bizKey.startsWith("old") ? undefined : gate.opened,
      ),
    ]);
    // A poller that has not looked yet knows of no backlog to leave slots for.
    await waitFor("the poller to have met the backlog", () => log.keys.some((key) => key.startsWith("old")));
    const verdicts = [];
    for (let index = 0; index < 10; index++) {
      verdicts.push(await started.enqueue({ eventType: "MIXED", bizKey: `new-${index}` }));
    }
    await waitFor("the backlog to be done", () => log.keys.filter((key) => key.startsWith("old")).length === 50);
    gate.open();
    await isDone("MIXED", 60);
    expect(log.overlapping).toEqual([]);
  });

  it("the recycle pass: 500 rows of one dead type do not keep another type's rows from being recycled and run", async () => {
    const gate = new Gate();
    const log = new CallLog();
    const stopped = await scenario.start([]);
    const dead = stopped.engine.owner;
    await scenario.stopEngines();
    await flood("DEAD_A", 500, `3, '${dead}', '2020-01-01 00:00:00.000'`);
    await flood("DEAD_B", 10, `3, '${dead}', '2020-01-01 00:00:00.000'`);
    const started = await scenario.start(
      [
        log.handler({ eventType: "DEAD_A", concurrency: 2, pollIntervalMs: 100 }, () => gate.opened),
        log.handler({ eventType: "DEAD_B", concurrency: 2, pollIntervalMs: 100 }),
      ],
      { beatIntervalMs: 100, deadAfterMs: 500, recycleIntervalMs: 100 },
    );
    await isDone("DEAD_B", 10);
    await waitFor("all of the other type to be taken back", async () => {
      const { running = 0, pending = 0 } = await scenario.statuses("DEAD_A");
      return running === 2 && pending === 498;
    });
    const recycled = started.of("recycled").reduce((sum, { count }) => sum + count, 0);
    expect(recycled).toBe(510);
    gate.open();
  });
});
