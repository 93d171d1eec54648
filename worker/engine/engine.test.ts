import { describe, expect, it } from "vitest";
import { setOverrideSettings, setPaused } from "../../db/queries/event-types.ts";
import { listWorkers } from "../../db/queries/workers.ts";
import { createTestDatabase } from "../../db/testing/test-database.ts";
import { CallLog, Scenario } from "../testing/scenario.ts";
import { TestEngine } from "../testing/test-engine.ts";
import { Gate, waitFor } from "../testing/wait-for.ts";
import { createEngine } from "./index.ts";

const scenario = new Scenario();
const QUICK = { syncIntervalMs: 100, recycleIntervalMs: 100 };
const workers = () => scenario.database.database.use((session) => listWorkers(session));

describe("start and stop", () => {
  it("creating an engine has no effect; start registers it, stop leaves the registry as stopped", async () => {
    const engine = new TestEngine(scenario.database, [new CallLog().handler({ eventType: "LIFE" })]);
    const { owner } = engine.engine;
    expect((await workers()).filter((worker) => worker.owner === owner)).toEqual([]);
    expect(engine.engine.health()).toMatchObject({ state: "new", isAlive: false, sinceBeatMs: undefined });
    await engine.engine.start();
    expect(engine.engine.health()).toMatchObject({ state: "running", isAlive: true });
    expect((await workers()).find((worker) => worker.owner === owner)).toMatchObject({
      state: "running",
      isAlive: true,
    });
    await engine.engine.stop();
    expect(engine.engine.health()).toMatchObject({ state: "stopped", isAlive: false });
    expect((await workers()).find((worker) => worker.owner === owner)).toMatchObject({ state: "stopped" });
  });

  it("a second start is refused and harms nothing, also while the first is under way and after the stop", async () => {
    const log = new CallLog();
    const started = new TestEngine(scenario.database, [log.handler({ eventType: "TWICE" })]);
    const [first, second] = await Promise.allSettled([started.engine.start(), started.engine.start()]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ status: "rejected", reason: { code: "ENGINE_STATE" } });
    await expect(started.engine.start()).rejects.toMatchObject({ code: "ENGINE_STATE" });
    const { id } = await started.enqueue({ eventType: "TWICE", bizKey: "k" });
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    await started.engine.stop();
    await expect(started.engine.start()).rejects.toMatchObject({ code: "ENGINE_STATE" });
    expect(log.calls).toHaveLength(1);
  });

  it("a second stop is the same stop; one before any start is none", async () => {
    const gate = new Gate();
    const started = await scenario.start([new CallLog().handler({ eventType: "STOPS" }, () => gate.opened)]);
    const { id } = await started.enqueue({ eventType: "STOPS", bizKey: "k" });
    await started.rowWhere(id, "runs", ({ status }) => status === "running");
    const [one, two] = [started.engine.stop(), started.engine.stop({ graceMs: 0 })];
    expect(two).toBe(one);
    gate.open();
    expect(await one).toMatchObject({ released: 0, aborted: 0 });
    expect((await scenario.row(id))?.status).toBe("succeeded");
    const never = new TestEngine(scenario.database, []);
    expect(await never.engine.stop()).toEqual({ finished: 0, released: 0, aborted: 0 });
    await expect(never.engine.start()).rejects.toMatchObject({ code: "ENGINE_STATE" });
  });

  it("stop during start waits for it, and nothing is left running", async () => {
    const started = new TestEngine(scenario.database, [new CallLog().handler({ eventType: "EARLY" })]);
    const starting = started.engine.start();
    await started.engine.stop();
    await starting.catch(() => undefined);
    expect(started.engine.health()).toMatchObject({ state: "stopped", isAlive: false });
    const left = (await workers()).filter(({ owner, state }) => owner === started.engine.owner && state !== "stopped");
    expect(left).toEqual([]);
  });

  it("a start that fails says why, and can be tried again when the reason is gone", async () => {
    const empty = await createTestDatabase({ migrated: false });
    try {
      const engine = createEngine({ database: empty.pool, zone: empty.zone.name });
      await expect(engine.start()).rejects.toMatchObject({
        code: "DATABASE_UNUSABLE",
        message: expect.stringContaining("migrate") as string,
      });
      await expect(engine.start()).rejects.toMatchObject({ code: "DATABASE_UNUSABLE" });
      expect(engine.health().state).toBe("new");
      await engine.stop();
    } finally {
      await empty.drop();
    }
  });
});

describe("several engines in one process", () => {
  it("share the work of one database: each task once, each engine runs only what it claimed", async () => {
    const log = new CallLog();
    const handlers = () => [log.handler({ eventType: "SHARED", concurrency: 2, pollIntervalMs: 50 })];
    const engines = [
      await scenario.start(handlers()),
      await scenario.start(handlers()),
      await scenario.start(handlers()),
    ];
    expect(new Set(engines.map(({ engine }) => engine.owner)).size).toBe(3);
    await scenario.insert(...Array.from({ length: 90 }, () => ({ eventType: "SHARED" })));
    await Promise.all(
      engines.map(async (one, part) => {
        for (let index = 0; index < 20; index++) await one.enqueue({ eventType: "SHARED", bizKey: `${part}-${index}` });
      }),
    );
    await waitFor("all to be done", async () => (await scenario.statuses("SHARED"))["succeeded"] === 150, 25_000);
    expect([log.calls.length, new Set(log.calls.map(({ id }) => id)).size, log.overlapping]).toEqual([150, 150, []]);
    for (const one of engines) {
      const ids = new Set(one.of("started").map(({ id }) => id));
      const owned = await scenario.rows("SELECT id FROM t_retry_task WHERE event_type = 'SHARED' AND owner = ?", [
        one.engine.owner,
      ]);
      expect(owned).toHaveLength(ids.size);
      expect(one.of("stale")).toEqual([]);
    }
  });

  it("over two databases do not see each other's tasks", async () => {
    const other = await createTestDatabase();
    try {
      const [here, there] = [new CallLog(), new CallLog()];
      const one = await scenario.start([here.handler({ eventType: "APART" })]);
      const two = new TestEngine(other, [there.handler({ eventType: "APART" })]);
      await two.engine.start();
      const ids = [
        await one.enqueue({ eventType: "APART", bizKey: "here" }),
        await two.enqueue({ eventType: "APART", bizKey: "there" }),
      ];
      await one.rowWhere(ids[0]?.id ?? "", "succeeds", ({ status }) => status === "succeeded");
      await two.rowWhere(ids[1]?.id ?? "", "succeeds", ({ status }) => status === "succeeded");
      expect([here.keys, there.keys]).toEqual([["here"], ["there"]]);
      await two.engine.stop();
    } finally {
      await other.drop();
    }
  });

  it("a listener that throws harms neither the engine nor other listeners", async () => {
    const started = await scenario.start([new CallLog().handler({ eventType: "LISTENED" })]);
    const heard: string[] = [];
    const off = started.engine.on("started", () => {
      throw new Error("broken listener");
    });
    started.engine.on("started", ({ id }) => heard.push(id));
    const { id } = await started.enqueue({ eventType: "LISTENED", bizKey: "k" });
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    off();
    expect(heard).toEqual([id]);
  });
});

describe("settings that people change", () => {
  const change = (eventType: string, settings: object | undefined) =>
    scenario.database.database.use((session) =>
      setOverrideSettings(session, { eventType, overrideSettings: settings && JSON.stringify(settings) }),
    );
  const pause = (eventType: string, paused: boolean) =>
    scenario.database.database.use((session) => setPaused(session, { eventType, paused }));

  it("a paused type is created but run neither eagerly nor by the poller; it goes on when the pause ends", async () => {
    const log = new CallLog();
    const beside = new CallLog();
    const started = await scenario.start(
      [
        log.handler({ eventType: "PAUSED", pollIntervalMs: 50 }),
        beside.handler({ eventType: "BESIDE", pollIntervalMs: 50 }),
      ],
      QUICK,
    );
    await pause("PAUSED", true);
    await waitFor("the pause to be seen", () => started.engine.health().pools["PAUSED"]?.isPaused === true);
    const eager = await started.enqueue({ eventType: "PAUSED", bizKey: "eager" });
    const [polled = ""] = await scenario.insert({ eventType: "PAUSED", bizKey: "polled" });
    for (let poll = 0; poll < 5; poll++) {
      const [id = ""] = await scenario.insert({ eventType: "BESIDE" });
      await started.rowWhere(id, "is polled", ({ status }) => status === "succeeded");
    }
    expect(await started.engine.wake([eager.id, polled])).toEqual({ claimed: 0 });
    for (const id of [eager.id, polled]) {
      expect(await scenario.row(id)).toMatchObject({ status: "pending", owner: null, claimNo: 0 });
    }
    expect(started.of("rejected")).toEqual([]);
    await pause("PAUSED", false);
    for (const id of [eager.id, polled]) await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(log.calls).toHaveLength(2);
    expect(beside.calls).toHaveLength(5);
  });

  it("concurrency, limits and strategy are picked up without a restart, and fall back when the override is removed", async () => {
    const gate = new Gate();
    const log = new CallLog();
    const started = await scenario.start(
      [
        log.handler(
          { eventType: "TUNED", concurrency: 1, queueSize: 0, pollIntervalMs: 50, retry: { maxRetryCount: 9 } },
          () => gate.opened,
        ),
      ],
      QUICK,
    );
    await scenario.insert(...Array.from({ length: 6 }, () => ({ eventType: "TUNED" })));
    await waitFor("one to run", () => log.calls.length === 1);
    await change("TUNED", { concurrency: 4, maxRetryCount: 2, strategy: "LINEAR" });
    await waitFor("four to run", () => log.calls.length === 4);
    const { id } = await started.enqueue({ eventType: "TUNED", bizKey: "new" });
    expect(await scenario.row(id)).toMatchObject({ maxRetryCount: 2, retryStrategy: "LINEAR" });
    await change("TUNED", undefined);
    await waitFor("the old concurrency", () => started.engine.health().pools["TUNED"]?.concurrency === 1);
    const later = await started.enqueue({ eventType: "TUNED", bizKey: "later" });
    expect(await scenario.row(later.id)).toMatchObject({ maxRetryCount: 9 });
    gate.open();
    await waitFor("all to be done", async () => (await scenario.statuses("TUNED"))["succeeded"] === 8);
    expect(log.calls).toHaveLength(8);
  });

  it("an override that cannot be read changes nothing and is complained of once per change", async () => {
    const complaints: string[] = [];
    const note = (_: object, message: string): void => void complaints.push(message);
    const started = await scenario.start([new CallLog().handler({ eventType: "BROKEN", concurrency: 3 })], {
      ...QUICK,
      log: { debug: () => undefined, info: () => undefined, warn: note, error: note },
    });
    await scenario.rows(
      "UPDATE t_retry_event_type SET override_settings = '{\"concurrency\":', revision = revision + 1 WHERE event_type = 'BROKEN'",
    );
    await waitFor("the complaint", () => complaints.length === 1);
    const { id } = await started.enqueue({ eventType: "BROKEN", bizKey: "k" });
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(started.engine.health().pools["BROKEN"]?.concurrency).toBe(3);
    await change("BROKEN", { concurrency: 5 });
    await waitFor("the repaired override", () => started.engine.health().pools["BROKEN"]?.concurrency === 5);
    expect(complaints).toHaveLength(1);
  });
});

describe("wake", () => {
  it("runs pending due tasks of known types at once, and nothing else", async () => {
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "WOKEN", pollIntervalMs: 3_600_000 })]);
    const ids = await scenario.insert(
      { eventType: "WOKEN", bizKey: "due" },
      { eventType: "WOKEN", bizKey: "later", dueInMs: 3_600_000 },
      { eventType: "WOKEN", bizKey: "failed", status: "failed" },
      { eventType: "WOKEN", bizKey: "succeeded", status: "succeeded" },
      { eventType: "UNKNOWN", bizKey: "unknown" },
    );
    await started.engine.wake([...ids, "9223372036854775807", ids[0] ?? ""]);
    await started.rowWhere(ids[0] ?? "", "succeeds", ({ status }) => status === "succeeded");
    expect(log.keys).toEqual(["due"]);
    expect(await scenario.row(ids[4] ?? "")).toMatchObject({ status: "pending", claimNo: 0 });
    expect(await started.engine.wake([])).toEqual({ claimed: 0 });
    await expect(started.engine.wake(Array.from({ length: 1_001 }, () => "1"))).rejects.toMatchObject({
      code: "INVALID_OPTION",
    });
  });

  it.each(["abc", "", "-1", "1; DROP TABLE t_retry_task", "9223372036854775808", "1.5"])(
    "refuses an id that is none: %s",
    async (id) => {
      const started = await scenario.start([new CallLog().handler({ eventType: "WOKEN" })]);
      await expect(started.engine.wake([id])).rejects.toMatchObject({ code: "INVALID_OPTION" });
    },
  );
});
