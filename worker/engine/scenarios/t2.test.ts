import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { registerWorker, stopWorker } from "../../../db/queries/workers.ts";
import { ChildEngine, endChildren } from "../../testing/child-engine.ts";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import { Gate, waitFor } from "../../testing/wait-for.ts";
import { RetryAfterError, Snooze } from "../index.ts";

const scenario = new Scenario();
const SHORT = { beatIntervalMs: 300, deadAfterMs: 4_000, recycleIntervalMs: 100, syncIntervalMs: 200 };
const MINUTE_MS = 60_000;

/** This process's wall clock is off by so much; timers and the monotonic clock go on as they are. */
const skewBy = (ms: number) => {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms, shouldAdvanceTime: false });
};
afterEach(async () => {
  vi.useRealTimers();
  await endChildren();
});

/** A row that every recycler takes back at its next pass: its owner has stopped. */
async function abandonedRow(eventType: string): Promise<string> {
  const owner = `gone ${performance.now()}`;
  const entry = { owner, host: "h", ip: "127.0.0.1", pid: 1, version: "1", deadAfterMs: 60_000, eventTypes: [] };
  await scenario.database.database.use((session) => registerWorker(session, entry));
  const [id = ""] = await scenario.insert({ eventType, status: "running", owner, claimNo: 1 });
  await scenario.database.database.use((session) => stopWorker(session, owner));
  return id;
}

describe.each([
  ["ten minutes ahead", 10 * MINUTE_MS],
  ["ten minutes behind", -10 * MINUTE_MS],
  ["an hour ahead", 60 * MINUTE_MS],
  ["an hour behind", -60 * MINUTE_MS],
])("T2: an instance whose clock is %s", (name, skewMs) => {
  const eventType = (part: string) => `${part} ${name}`;

  it("starts due tasks and no others; retries are due by the database's clock; eager runs as ever", async () => {
    skewBy(skewMs);
    const log = new CallLog();
    const answers: Readonly<Record<string, () => unknown>> = {
      fails: () => false,
      "retry after": () => Promise.reject(new RetryAfterError({ seconds: 30 })),
      "retry at": () => Promise.reject(new RetryAfterError(new Date(Date.now() + 30_000))),
      snoozes: () => new Snooze({ seconds: 20 }),
    };
    const started = await scenario.start(
      [
        log.handler(
          { eventType: eventType("WORK"), pollIntervalMs: 100, retry: { strategy: "FIXED", firstIntervalSeconds: 10 } },
          (task) => answers[task.bizKey]?.() as boolean,
        ),
        log.handler(
          { eventType: eventType("CRON"), pollIntervalMs: 100, retry: { strategy: "CRON", cron: "* * * * *" } },
          () => false,
        ),
      ],
      { syncIntervalMs: 200 },
    );
    const [early = "", due = ""] = await scenario.insert(
      { eventType: eventType("WORK"), bizKey: "in five minutes", dueInMs: 5 * MINUTE_MS },
      { eventType: eventType("WORK"), bizKey: "due" },
    );
    await started.rowWhere(due, "succeeds", ({ status }) => status === "succeeded");
    const before = await scenario.now();
    const delayed = await started.enqueue({ eventType: eventType("WORK"), bizKey: "delayed", delayMs: 5 * MINUTE_MS });
    const dueAt = (await scenario.row(delayed.id))?.nextRetryTime.getTime() ?? 0;
    expect(dueAt).toBeGreaterThanOrEqual(before.getTime() + 5 * MINUTE_MS);
    expect(dueAt).toBeLessThanOrEqual((await scenario.now()).getTime() + 5 * MINUTE_MS);
    const waits: Record<string, number> = {};
    for (const bizKey of Object.keys(answers)) {
      const { id } = await started.enqueue({ eventType: eventType("WORK"), bizKey });
      const row = await started.rowWhere(
        id,
        "is put off",
        ({ status, claimNo }) => status === "pending" && claimNo > 0,
      );
      waits[bizKey] = row.nextRetryTime.getTime() - row.updateTime.getTime();
      expect(row.updateTime.getTime()).toBeGreaterThanOrEqual(before.getTime());
      expect(row.updateTime.getTime()).toBeLessThanOrEqual((await scenario.now()).getTime());
      expect(started.of("started").find((event) => event.id === id)?.isEager).toBe(true);
    }
    expect(waits).toMatchObject({ fails: 10_000, "retry after": 30_000, snoozes: 20_000 });
    // An instant that the handler reckons by its own clock means that clock's wait.
    expect(waits["retry at"]).toBeGreaterThan(28_000);
    expect(waits["retry at"]).toBeLessThanOrEqual(30_000);
    const cron = await started.enqueue({ eventType: eventType("CRON"), bizKey: "k" });
    const row = await started.rowWhere(cron.id, "has failed", ({ retryCount }) => retryCount === 1);
    const fromFullMinute = Math.abs(((row.nextRetryTime.getTime() + MINUTE_MS / 2) % MINUTE_MS) - MINUTE_MS / 2);
    expect(fromFullMinute).toBeLessThan(2_000);
    expect(row.nextRetryTime.getTime() - row.updateTime.getTime()).toBeLessThanOrEqual(MINUTE_MS + 2_000);
    expect(await scenario.row(early)).toMatchObject({ status: "pending", claimNo: 0 });
    expect(await scenario.row(delayed.id)).toMatchObject({ status: "pending", claimNo: 0 });
  });

  it("runs what is due at an instant of the database's clock then, not an interval later", async () => {
    skewBy(skewMs);
    const log = new CallLog();
    const type = eventType("AT");
    const started = await scenario.start([log.handler({ eventType: type, pollIntervalMs: 3_600_000 })]);
    const runAt = new Date((await scenario.now()).getTime() + 700);
    const { id } = await started.enqueue({ eventType: type, bizKey: "k", runAt });
    const row = await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(row.startedTime?.getTime()).toBeGreaterThanOrEqual(runAt.getTime());
  });

  it("neither recycles a right instance's running task nor has its own recycled by it", async () => {
    const a = await ChildEngine.start({
      url: scenario.database.url,
      engine: { ...SHORT, zone: scenario.database.zone.name },
      types: [{ eventType: eventType("A"), pollIntervalMs: 100, steps: [{ do: "untilAborted" }] }],
    });
    skewBy(skewMs);
    const gate = new Gate();
    const b = await scenario.start(
      [new CallLog().handler({ eventType: eventType("B"), pollIntervalMs: 100 }, () => gate.opened)],
      SHORT,
    );
    const [onA = ""] = await scenario.insert({ eventType: eventType("A") });
    const { id: onB } = await b.enqueue({ eventType: eventType("B"), bizKey: "k" });
    for (const id of [onA, onB]) await b.rowWhere(id, "runs", ({ status }) => status === "running");
    // Recyclers of both have passed several times over rows that really are abandoned, for longer than the death limit.
    const untilMs = performance.now() + 2 * SHORT.deadAfterMs;
    let isRecycledByA = false;
    let isRecycledByB = false;
    await waitFor(
      "both recyclers to have worked",
      async () => {
        const id = await abandonedRow(`NOBODY ${name}`);
        await b.rowWhere(id, "is taken back", ({ status }) => status === "pending");
        isRecycledByA ||= a.events("recycled").length > 0;
        isRecycledByB ||= b.of("recycled").length > 0;
        return isRecycledByA && isRecycledByB && performance.now() > untilMs;
      },
      60_000,
    );
    expect(await scenario.row(onA)).toMatchObject({ status: "running", claimNo: 1, recycleCount: 0, owner: a.owner });
    expect(await scenario.row(onB)).toMatchObject({
      status: "running",
      claimNo: 1,
      recycleCount: 0,
      owner: b.engine.owner,
    });
    gate.open();
    await b.rowWhere(onB, "succeeds", ({ status }) => status === "succeeded");
  });
});

describe("T2: a clock that is stepped while the instance runs", () => {
  it.each([
    ["back by an hour", -60 * MINUTE_MS],
    ["on by an hour", 60 * MINUTE_MS],
  ])(
    "%s: polls, beats, recycling and backoff go on at their pace, without a pause and without a burst",
    async (_, stepMs) => {
      const log = new CallLog();
      const gate = new Gate();
      const eventType = `STEP ${stepMs}`;
      const started = await scenario.start(
        [
          log.handler(
            { eventType, pollIntervalMs: 100, retry: { strategy: "FIXED", firstIntervalSeconds: 1 } },
            (task) => (task.bizKey === "long" ? gate.opened : task.bizKey !== "fails" || task.retryCount > 0),
          ),
        ],
        SHORT,
      );
      const long = await started.enqueue({ eventType, bizKey: "long" });
      const fails = await started.enqueue({ eventType, bizKey: "fails" });
      await started.rowWhere(fails.id, "has failed", ({ retryCount }) => retryCount === 1);
      skewBy(stepMs);
      for (let poll = 0; poll < 5; poll++) {
        const [id = ""] = await scenario.insert({ eventType, bizKey: `polled ${poll}` });
        await started.rowWhere(id, "is polled", ({ status }) => status === "succeeded");
      }
      const [future = ""] = await scenario.insert({ eventType, bizKey: "future", dueInMs: 50 * MINUTE_MS });
      const retried = await started.rowWhere(fails.id, "succeeds", ({ status }) => status === "succeeded");
      expect(retried).toMatchObject({ retryCount: 1, claimNo: 2 });
      await abandonedRow("NOBODY STEP");
      await waitFor("a recycle pass", () => started.of("recycled").length > 0);
      expect(await scenario.row(future)).toMatchObject({ status: "pending", claimNo: 0 });
      expect(await scenario.row(long.id)).toMatchObject({ status: "running", claimNo: 1, recycleCount: 0 });
      expect(started.engine.health()).toMatchObject({ isAlive: true, lastError: undefined });
      expect(started.of("outage")).toEqual([]);
      gate.open();
      await started.rowWhere(long.id, "succeeds", ({ status }) => status === "succeeded");
      expect(log.count("fails")).toBe(2);
    },
  );
});

describe("T2: the clock of the test itself", () => {
  const real = Date.now();
  beforeAll(() => skewBy(60 * MINUTE_MS));
  afterAll(() => void vi.useRealTimers());
  it("is off for this process and right for the database", async () => {
    skewBy(60 * MINUTE_MS);
    const databaseNow = (await scenario.now()).getTime();
    expect(Date.now() - databaseNow).toBeGreaterThan(59 * MINUTE_MS);
    expect(Math.abs(databaseNow - real)).toBeLessThan(10 * MINUTE_MS);
  });
});
