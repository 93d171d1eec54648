import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { explainStatements, isBuiltForStatement, keysOf, planFaults } from "../testing/explain.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { countLiveTasksByType, countRecycledByType } from "./count-tasks.ts";
import { listKnownEventTypes } from "./event-types.ts";
import { listActions } from "./list-actions.ts";
import { listCauseHours, readErrorHeads } from "./list-causes.ts";
import { findNewestRollup, readMinutes, readRollups, storeRollups } from "./metric-rollups.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.now();
const EVENT_TYPES = Array.from({ length: 6 }, (_, n) => `T${n}`);
const STARTS = Array.from({ length: 97 }, (_, n) => new Date(Math.floor(NOW / 900_000) * 900_000 - n * 900_000));

interface Case {
  /** The exported function, by name; `how` tells apart several cases of one. */
  readonly covers: string;
  readonly how?: string;
  readonly run: (session: Session) => Promise<unknown>;
  /** Per statement that reads rows, in order: the indexes it goes through. Left out: only that no plan has a fault. */
  readonly uses?: readonly string[];
  /** A table that is small by nature and read as a whole. */
  readonly wholeTable?: "t_retry_event_type";
}

const CASES: readonly Case[] = [
  {
    covers: "readMinutes",
    run: (session) => readMinutes(session, { from: new Date(NOW - HOUR_MS), to: new Date(NOW) }),
    uses: ["PRIMARY"],
  },
  {
    covers: "readRollups",
    run: (session) => readRollups(session, { level: "15m", starts: STARTS, eventTypes: EVENT_TYPES }),
    uses: ["PRIMARY"],
  },
  {
    covers: "findNewestRollup",
    run: (session) => findNewestRollup(session, { level: "5m", starts: STARTS, eventTypes: EVENT_TYPES }),
    uses: ["PRIMARY"],
  },
  {
    covers: "storeRollups",
    run: async (session) => {
      const params = { level: "15m", starts: STARTS.slice(0, 2), eventTypes: EVENT_TYPES } as const;
      return storeRollups(session, { level: "15m", buckets: await readRollups(session, params) });
    },
    uses: ["PRIMARY", "PRIMARY"],
  },
  { covers: "listCauseHours", run: (session) => listCauseHours(session), uses: ["idx_kind_time", "idx_kind_time"] },
  {
    covers: "readErrorHeads",
    run: (session) => readErrorHeads(session, ["1", "2", "300"]),
    uses: ["PRIMARY"],
  },
  {
    covers: "listActions",
    run: (session) => listActions(session, { since: new Date(NOW - 24 * HOUR_MS), limit: 50 }),
    uses: ["idx_time"],
  },
  { covers: "countRecycledByType", run: (session) => countRecycledByType(session), uses: ["idx_kind_time"] },
  {
    covers: "countLiveTasksByType",
    run: (session) => countLiveTasksByType(session),
    wholeTable: "t_retry_event_type",
  },
  { covers: "listKnownEventTypes", run: (session) => listKnownEventTypes(session), wholeTable: "t_retry_event_type" },
];

describe.each([{ minutes: 600 }, { minutes: 8 }])("the reads of the dashboard, $minutes minutes stored", (shape) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
    await fill(test, shape.minutes);
  });
  afterAll(() => test.drop());

  it.each(CASES.map((one) => [one.covers, one] as const))("%s reads only along its index", async (_, one) => {
    const explained = await explainStatements(test, (session) => one.run(session));
    expect(explained.length).toBeGreaterThan(0);
    for (const { text, steps } of explained) {
      // Groups and sorts are made of rows read before, under a limit or by key; they never read a stored table again.
      const stored = steps.filter((step) => !isBuiltForStatement(step) && step.table !== one.wholeTable);
      const isGrouped = /GROUP BY error_fingerprint|GROUP BY event_type$/.test(text.trim());
      expect({ text, faults: isGrouped ? [] : planFaults(stored) }).toEqual({ text, faults: [] });
    }
    if (one.uses) expect(explained.map(({ steps }) => keysOf(steps))).toEqual(one.uses);
  });

  it("readRollups looks each bucket up by its whole key", async () => {
    const [statement] = await explainStatements(test, (session) =>
      readRollups(session, { level: "15m", starts: STARTS, eventTypes: EVENT_TYPES }),
    );
    const stored = statement?.steps.filter((step) => step.table === "r");
    expect(stored?.map(({ type }) => type)).toEqual(["eq_ref"]);
  });
});

async function fill(test: TestDatabase, minutes: number): Promise<void> {
  const at = (ms: number) => test.zone.format(new Date(Math.floor(ms / 60_000) * 60_000));
  const metrics: string[] = [];
  const others: string[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    for (const eventType of EVENT_TYPES) {
      for (const source of ["cluster", "worker-1", "worker-2"]) {
        metrics.push(`('${at(NOW - minute * 60_000)}', '${eventType}', '${source}', 1, 1)`);
      }
      if (minute % 15 === 0)
        metrics.push(`('${at((STARTS[minute / 15] ?? new Date()).getTime())}', '${eventType}', '15m', 1, 1)`);
      const kind = ["failed", "retried", "recycled", "stale"][minute % 4] ?? "";
      others.push(
        `(${minute}, '${eventType}', '${kind}', 1, 1, 'boom', 'f${minute % 9}', '${at(NOW - minute * 60_000)}')`,
      );
    }
  }
  await test.pool.query(
    `INSERT INTO t_retry_metric (minute, event_type, source, pending, succeeded_count) VALUES ${metrics.join(",")}`,
  );
  await test.pool.query(
    `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, error, error_fingerprint, create_time)
      VALUES ${others.join(",")}`,
  );
  const audits = Array.from(
    { length: minutes },
    (_, n) => `('${at(NOW - n * 120_000)}', 'ada', 'person', 'task.reset', 'task', 'ok')`,
  );
  await test.pool.query(
    `INSERT INTO t_retry_audit (create_time, actor, actor_kind, action, object_kind, result) VALUES ${audits.join(",")}`,
  );
  const tasks = Array.from(
    { length: 2 * minutes },
    (_, n) => `('T${n % 6}', 'k${n}', '{}', ${n % 3}, 3, 'FIXED', 10, '${at(NOW)}')`,
  );
  await test.pool.query(
    `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval,
      next_retry_time) VALUES ${tasks.join(",")}`,
  );
  const types = EVENT_TYPES.map((name) => `('${name}', '${at(NOW)}', '${at(NOW)}')`);
  await test.pool.query(
    `INSERT INTO t_retry_event_type (event_type, create_time, update_time) VALUES ${types.join(",")}`,
  );
  await test.pool.query(
    "ANALYZE TABLE t_retry_task, t_retry_metric, t_retry_attempt, t_retry_audit, t_retry_event_type",
  );
}
