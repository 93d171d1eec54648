import { sql } from "drizzle-orm";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database, exactDriverOptions, mysql2Seam, sessionSettings } from "../client.ts";
import { settingsOfPool } from "../connection-options.ts";
import { Session } from "../session.ts";
import { insertTaskRow, type TaskRowValues } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { cancelTask } from "./cancel-task.ts";
import { claimDueTasks } from "./claim-tasks.ts";
import { completeTasks } from "./complete-tasks.ts";
import { cancelRunningTask, failTask, rescheduleTask, snoozeTask } from "./end-attempt.ts";
import { registerEventType, setOverrideSettings, setPaused } from "./event-types.ts";
import { holdLease } from "./leases.ts";
import { addMetricCounts, METRIC_COUNTERS, type MetricCounts, storeTypeGauges } from "./metrics.ts";
import { recycleTasks } from "./recycle-tasks.ts";
import { releaseTasks } from "./release-tasks.ts";
import { resetTask } from "./reset-task.ts";
import { beatStatement, registerWorker } from "./workers.ts";

// One instant for everything, so that a write that repeats another would change nothing.
const NOW = new Date("2026-10-25T00:30:00.500Z");
const ERROR = { text: "boom", fingerprint: "f" };
const RUNNING = {
  status: "running",
  owner: "me",
  claimNo: 1,
  nextRetryTime: NOW,
  updateTime: NOW,
  startedTime: NOW,
  lastError: ERROR.text,
  errorFingerprint: ERROR.fingerprint,
} as const satisfies TaskRowValues;
const NO_COUNTS = Object.fromEntries(METRIC_COUNTERS.map((name) => [name, 0])) as unknown as MetricCounts;
const GAUGES = { pending: 0, due: 0, running: 0, failed: 0, oldestDueAgeMs: 0 };

type Probe = (session: Session, insert: (values: TaskRowValues) => Promise<string>) => Promise<unknown[]>;

/** Runs a write of one row twice, and once under a claim it does not hold. */
const thrice =
  (write: (session: Session, claim: { id: string; claimNo: number }) => Promise<unknown>): Probe =>
  async (session, insert) => {
    const id = await insert(RUNNING);
    return [
      await write(session, { id, claimNo: 2 }),
      await write(session, { id, claimNo: 1 }),
      await write(session, { id, claimNo: 1 }),
    ];
  };

const twice =
  (write: (session: Session) => Promise<unknown>): Probe =>
  async (session) => [await write(session), await write(session)];

const PROBES: readonly (readonly [name: string, probe: Probe, verdicts: readonly unknown[]])[] = [
  ["completeTasks", thrice((session, claim) => completeTasks(session, "me", [claim])), [0, 1, 0]],
  [
    "rescheduleTask",
    thrice((session, claim) => rescheduleTask(session, "me", { ...claim, delayMs: 0, error: ERROR })),
    [0, 1, 0],
  ],
  [
    "failTask, not counted",
    thrice((session, claim) =>
      failTask(session, "me", { ...claim, reason: "exhausted", counted: false, error: ERROR }),
    ),
    [0, 1, 0],
  ],
  ["snoozeTask", thrice((session, claim) => snoozeTask(session, "me", { ...claim, delayMs: 0 })), [0, 1, 0]],
  ["cancelRunningTask", thrice((session, claim) => cancelRunningTask(session, "me", claim)), [0, 1, 0]],
  ["releaseTasks", thrice((session, claim) => releaseTasks(session, "me", [claim])), [0, 1, 0]],
  [
    "claimDueTasks",
    async (session, insert) => {
      await insert({ ...RUNNING, status: "pending" });
      const claim = async () =>
        (await claimDueTasks(session, { owner: "me", ip: "10.0.0.1" }, { eventType: "TEST", limit: 200 })).length;
      return [await claim(), await claim()];
    },
    [1, 0],
  ],
  [
    "recycleTasks",
    async (session, insert) => {
      const id = await insert(RUNNING);
      const counts = { retryCount: 0, maxRetryCount: 3, recycleCount: 0, updateTime: session.zone.format(NOW) };
      const one = { id, eventType: "TEST", claimNo: 1, owner: "me", ...counts };
      const recycle = async () => (await recycleTasks(session, [one], { maxRecycles: 3, by: "you" })).length;
      return [await recycle(), await recycle()];
    },
    [1, 0],
  ],
  [
    "resetTask",
    async (session, insert) => {
      const id = await insert({ status: "failed", nextRetryTime: NOW, updateTime: NOW });
      const reset = async () => (await resetTask(session, { id, actor: "ada" })).outcome;
      return [await reset(), await reset()];
    },
    ["done", "not_failed"],
  ],
  [
    "cancelTask",
    async (session, insert) => {
      const id = await insert({ status: "pending", nextRetryTime: NOW, updateTime: NOW });
      const cancel = async () => (await cancelTask(session, { id, actor: "ada" })).outcome;
      return [await cancel(), await cancel()];
    },
    ["done", "not_waiting"],
  ],
  [
    "holdLease, renewed within one millisecond",
    twice((session) => holdLease(session, { name: "duty", owner: "me", leaseMs: 1_000 })),
    [true, true],
  ],
  [
    "holdLease, held by another",
    async (session) => [
      await holdLease(session, { name: "taken", owner: "you", leaseMs: 1_000 }),
      await holdLease(session, { name: "taken", owner: "me", leaseMs: 1_000 }),
    ],
    [true, false],
  ],
  ["registerEventType", twice((session) => registerEventType(session, "TEST", "{}")), [undefined, undefined]],
  ["setPaused", twice((session) => setPaused(session, { eventType: "NEW", paused: true })), [undefined, undefined]],
  [
    "setOverrideSettings",
    async (session) => {
      await registerEventType(session, "TEST", "{}");
      const set = () => setOverrideSettings(session, { eventType: "TEST", overrideSettings: undefined });
      return [await set(), await set()];
    },
    [1, 1],
  ],
  [
    "addMetricCounts of nothing",
    twice((session) => addMetricCounts(session, { eventType: "TEST", source: "me", counts: NO_COUNTS })),
    [true, false],
  ],
  ["storeTypeGauges", twice((session) => storeTypeGauges(session, "TEST", GAUGES)), [undefined, undefined]],
];

describe.each([
  ["as the driver sets it", [], 1],
  ["switched off by the service", ["-FOUND_ROWS"], 0],
] as const)("with the flag FOUND_ROWS %s", (_, flags, unchanged) => {
  let test: TestDatabase;
  let connection: mysql.Connection;
  let session: Session;
  beforeAll(async () => {
    test = await createTestDatabase();
    connection = await mysql.createConnection({ ...exactDriverOptions(test.connection), flags: [...flags] });
    for (const setting of sessionSettings(test.zone)) await connection.query(setting);
    session = new Session(mysql2Seam(connection), test.zone).at(NOW);
  });
  afterAll(async () => {
    await connection.end();
    await test.drop();
  });

  it(`reports ${unchanged} rows for an update that changes nothing`, async () => {
    const id = await insertTaskRow(session);
    const { affectedRows } = await session.change(
      sql`UPDATE t_retry_task SET max_retry_count = max_retry_count, update_time = update_time WHERE id = ${sql.raw(id)}`,
    );
    expect(affectedRows).toBe(unchanged);
    await session.run("DELETE FROM t_retry_task");
  });

  it.each(PROBES)("%s gives the same verdicts", async (_, probe, verdicts) => {
    expect(await probe(session, (values) => insertTaskRow(session, values))).toEqual(verdicts);
    await session.run("DELETE FROM t_retry_task");
  });
});

describe("Redrive's own connections", () => {
  it("report matched rows though the service's pool does not, so two beats in one millisecond are both alive", async () => {
    const test = await createTestDatabase();
    const pool = mysql.createPool({ ...test.connection, flags: ["-FOUND_ROWS"] });
    const database = new Database({ connection: settingsOfPool(pool), zone: test.zone });
    try {
      const beats = await database.use(async (own) => {
        const entry = { host: "h", ip: "10.0.0.1", pid: 1, version: "1", deadAfterMs: 1_000, eventTypes: [] };
        await registerWorker(own, { ...entry, owner: "me" });
        // The database's clock stands still for this session: both beats write the same instant.
        await own.run("SET SESSION timestamp = 1792888200.5");
        const beat = async () => (await own.change(beatStatement(own.zone, "me"))).affectedRows;
        return [await beat(), await beat(), await beat()];
      });
      expect(beats).toEqual([1, 1, 1]);
    } finally {
      await Promise.all([database.close(), pool.end()]);
      await test.drop();
    }
  });
});
