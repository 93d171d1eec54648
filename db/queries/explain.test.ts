import { readdir, readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { explainStatements, isBuiltForStatement, keysOf, planFaults } from "../testing/explain.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { cancelTask } from "./cancel-task.ts";
import type { Claim } from "./claim-guard.ts";
import { claimDueTasks, claimTasksById } from "./claim-tasks.ts";
import { completeTasks, lockFreeClaims } from "./complete-tasks.ts";
import { countTasksByType } from "./count-tasks.ts";
import { readDatabaseNow } from "./database-now.ts";
import { nextDue } from "./due-times.ts";
import { cancelRunningTask, failTask, rescheduleTask, snoozeTask } from "./end-attempt.ts";
import {
  listEventTypes,
  listTaskEventTypes,
  registerEventType,
  setOverrideSettings,
  setPaused,
} from "./event-types.ts";
import { findNewestTask, findTaskIds, insertedIds, readTaskTypes, type TaskKey } from "./find-task-id.ts";
import { insertAttempts } from "./insert-attempts.ts";
import { insertAudit } from "./insert-audit.ts";
import { insertTasks } from "./insert-tasks.ts";
import { holdLease, releaseLease } from "./leases.ts";
import { listFailedTasks } from "./list-failed-tasks.ts";
import { listTasks, listTasksByBizKey } from "./list-tasks.ts";
import {
  addMetricCounts,
  METRIC_COUNTERS,
  readSampledGauges,
  readTypeGauges,
  removeOldMetrics,
  storeTypeGauges,
} from "./metrics.ts";
import { listOwnedClaims, readClaimStates, readOwnedTasks, readPayload } from "./owned-tasks.ts";
import { listAbandonedTasks, recycleTasks } from "./recycle-tasks.ts";
import { releaseTasks } from "./release-tasks.ts";
import { resetTask } from "./reset-task.ts";
import { listAttempts, showTask } from "./show-task.ts";
import {
  beatStatement,
  listDeadOwners,
  listWorkers,
  registerWorker,
  removeGoneWorkers,
  reportWorker,
  stopWorker,
} from "./workers.ts";

const CLAIMER = { owner: "claimer", ip: "10.0.0.9" };
const ERROR = { text: "boom", fingerprint: "f1" };
const NO_COUNTS = Object.fromEntries(METRIC_COUNTERS.map((name) => [name, 1])) as Record<
  (typeof METRIC_COUNTERS)[number],
  number
>;
const YEAR_MS = 365 * 86_400_000;

/** Rows of the filled table that the cases need to exist. */
interface Sample {
  readonly type: string;
  readonly pendingIds: readonly string[];
  /** Running under the owner `alive`, several claim numbers. */
  readonly claims: readonly Claim[];
  readonly claim: Claim;
  readonly failedId: string;
  readonly keys: readonly TaskKey[];
  /** The due time of a pending task in the middle. */
  readonly due: string;
}

interface Case {
  /** The exported function, by name; `how` tells apart several cases of one. */
  readonly covers: string;
  readonly how?: string;
  readonly run: (session: Session, sample: Sample) => Promise<unknown>;
  /** Per statement that reads rows, in order: the indexes it goes through. Left out: it only inserts. */
  readonly uses?: readonly string[];
  /** A table that is small by nature and read as a whole, and why it stays small. */
  readonly wholeTable?: readonly [table: string, because: string];
  /** The statement merges rows it has fetched under a limit of its own. */
  readonly mergesBoundedRows?: true;
}

const REGISTRY = ["t_retry_worker", "one row per process of the last day"] as const;
const TYPES = ["t_retry_event_type", "one row per registered type"] as const;

const CASES: readonly Case[] = [
  {
    covers: "claimDueTasks",
    how: "from the start",
    run: (session, { type }) => claimDueTasks(session, CLAIMER, { eventType: type, limit: 200 }),
    uses: ["idx_claim", "PRIMARY"],
  },
  {
    covers: "claimDueTasks",
    how: "from a known due time",
    run: (session, { type, due }) => claimDueTasks(session, CLAIMER, { eventType: type, limit: 50, dueFrom: due }),
    uses: ["idx_claim", "PRIMARY"],
  },
  {
    covers: "claimTasksById",
    run: (session, { type, pendingIds }) => claimTasksById(session, CLAIMER, { eventType: type, ids: pendingIds }),
    uses: ["PRIMARY", "PRIMARY"],
  },
  {
    covers: "completeTasks",
    run: (session, { claims }) => completeTasks(session, "alive", claims),
    uses: ["PRIMARY"],
  },
  {
    covers: "lockFreeClaims",
    run: (session, { claims }) => lockFreeClaims(session, "alive", claims),
    uses: ["PRIMARY"],
  },
  {
    covers: "rescheduleTask",
    run: (session, { claim }) => rescheduleTask(session, "alive", { ...claim, delayMs: 10_000, error: ERROR }),
    uses: ["PRIMARY"],
  },
  {
    covers: "failTask",
    run: (session, { claim }) =>
      failTask(session, "alive", { ...claim, reason: "exhausted", counted: true, error: ERROR }),
    uses: ["PRIMARY"],
  },
  {
    covers: "snoozeTask",
    run: (session, { claim }) => snoozeTask(session, "alive", { ...claim, delayMs: 10_000 }),
    uses: ["PRIMARY"],
  },
  {
    covers: "cancelRunningTask",
    run: (session, { claim }) => cancelRunningTask(session, "alive", claim),
    uses: ["PRIMARY"],
  },
  {
    covers: "releaseTasks",
    run: (session, { claims }) => releaseTasks(session, "alive", claims),
    uses: ["PRIMARY"],
  },
  {
    covers: "readOwnedTasks",
    run: (session, { claims }) => readOwnedTasks(session, { owner: "alive", ids: claims.map(({ id }) => id) }),
    uses: ["PRIMARY"],
  },
  {
    covers: "listOwnedClaims",
    run: (session, { type }) =>
      listOwnedClaims(session, { owner: "alive", eventType: type, settledMs: 5_000, limit: 200 }),
    uses: ["idx_claim"],
  },
  { covers: "readPayload", run: (session, { claim }) => readPayload(session, claim.id), uses: ["PRIMARY"] },
  {
    covers: "readClaimStates",
    run: (session, { claims }) =>
      readClaimStates(
        session,
        claims.map(({ id }) => id),
      ),
    uses: ["PRIMARY"],
  },
  {
    covers: "listAbandonedTasks",
    run: (session, { type }) => listAbandonedTasks(session, { eventType: type, self: "self", foreignAfterMs: 180_000 }),
    uses: ["idx_claim + PRIMARY"],
  },
  {
    covers: "recycleTasks",
    run: async (session, { type }) => {
      const abandoned = await listAbandonedTasks(session, { eventType: type, self: "self", foreignAfterMs: 180_000 });
      const withBothEnds = abandoned.map((one, n) => ({ ...one, recycleCount: n % 2 === 0 ? 0 : 99 }));
      return recycleTasks(session, withBothEnds, { maxRecycles: 3, by: "self" });
    },
    uses: ["idx_claim + PRIMARY", "PRIMARY", "PRIMARY", "PRIMARY"],
  },
  { covers: "nextDue", how: "from the start", run: (session, { type }) => nextDue(session, type), uses: ["idx_claim"] },
  {
    covers: "nextDue",
    how: "from a known due time",
    run: (session, { type, due }) => nextDue(session, type, due),
    uses: ["idx_claim"],
  },
  { covers: "findTaskIds", run: (session, { keys }) => findTaskIds(session, keys), uses: ["uk_event_biz"] },
  {
    covers: "findTaskIds",
    how: "of one key",
    run: (session, { keys }) => findTaskIds(session, keys.slice(0, 1)),
    uses: ["uk_event_biz"],
  },
  {
    covers: "insertedIds",
    run: (session, { keys, pendingIds }) => insertedIds(session, pendingIds[0] ?? "1", keys),
    uses: ["uk_event_biz"],
  },
  {
    covers: "findNewestTask",
    run: (session, { keys }) => findNewestTask(session, keys[0] ?? { eventType: "none", bizKey: "none" }),
    uses: ["uk_event_biz"],
  },
  { covers: "readTaskTypes", run: (session, { pendingIds }) => readTaskTypes(session, pendingIds), uses: ["PRIMARY"] },
  {
    covers: "resetTask",
    run: (session, { failedId }) => resetTask(session, { id: failedId, actor: "ada" }),
    // The task, and for one in running the registry's row of its owner.
    uses: ["PRIMARY", "PRIMARY + PRIMARY"],
  },
  {
    covers: "cancelTask",
    run: (session, { failedId }) => cancelTask(session, { id: failedId, actor: "ada" }),
    uses: ["PRIMARY", "PRIMARY"],
  },
  { covers: "showTask", run: (session, { failedId }) => showTask(session, failedId), uses: ["PRIMARY"] },
  { covers: "listAttempts", run: (session, { failedId }) => listAttempts(session, failedId), uses: ["idx_task"] },
  {
    covers: "listTasks",
    how: "first page",
    run: (session, { type }) => listTasks(session, { eventType: type, status: "pending", limit: 50 }),
    uses: ["idx_claim"],
  },
  {
    covers: "listTasks",
    how: "page after a cursor",
    run: (session, { type, due, claim }) =>
      listTasks(session, { eventType: type, status: "succeeded", limit: 50, cursor: { dueTime: due, id: claim.id } }),
    uses: ["idx_claim"],
  },
  {
    covers: "listTasksByBizKey",
    run: (session, { keys }) => listTasksByBizKey(session, keys[0]?.bizKey ?? ""),
    uses: ["uk_event_biz"],
  },
  {
    covers: "listFailedTasks",
    how: "of one type",
    run: (session, { type }) => listFailedTasks(session, { eventTypes: [type], limit: 100 }),
    uses: ["idx_claim", "PRIMARY"],
    mergesBoundedRows: true,
  },
  {
    covers: "listFailedTasks",
    how: "of one type after a cursor",
    run: (session, { type, due, claim }) =>
      listFailedTasks(session, { eventTypes: [type], limit: 100, cursor: { dueTime: due, id: claim.id } }),
    uses: ["idx_claim", "PRIMARY"],
    mergesBoundedRows: true,
  },
  {
    covers: "listFailedTasks",
    how: "of all types",
    run: (session) => listFailedTasks(session, { limit: 100 }),
    mergesBoundedRows: true,
    wholeTable: TYPES,
  },
  { covers: "listTaskEventTypes", run: (session) => listTaskEventTypes(session), uses: ["idx_claim"] },
  {
    covers: "listEventTypes",
    run: (session) => listEventTypes(session),
    wholeTable: TYPES,
  },
  {
    covers: "registerEventType",
    how: "known",
    run: (session, { type }) => registerEventType(session, type, '{"concurrency":2}'),
    uses: ["PRIMARY", "PRIMARY"],
  },
  {
    covers: "setPaused",
    run: (session, { type }) => setPaused(session, { eventType: type, paused: true }),
    uses: ["PRIMARY"],
  },
  {
    covers: "setOverrideSettings",
    run: (session, { type }) => setOverrideSettings(session, { eventType: type, overrideSettings: "{}" }),
    uses: ["PRIMARY"],
  },
  {
    covers: "readTypeGauges",
    run: (session, { type }) => readTypeGauges(session, type),
    uses: ["idx_claim + idx_claim + idx_claim + idx_claim + idx_claim"],
  },
  {
    covers: "countTasksByType",
    run: (session) => countTasksByType(session),
    mergesBoundedRows: true,
    wholeTable: TYPES,
  },
  { covers: "insertTasks", run: (session, { type }) => insertTasks(session, [newTask(type)]) },
  { covers: "readDatabaseNow", run: (session) => readDatabaseNow(session) },
  {
    covers: "insertAttempts",
    run: (session, { type, claim }) =>
      insertAttempts(session, [
        { taskId: claim.id, eventType: type, kind: "retried", retryCount: 1, claimNo: claim.claimNo, error: ERROR },
      ]),
  },
  {
    covers: "insertAudit",
    run: (session) =>
      insertAudit(session, { actor: "a", actorKind: "person", action: "task.reset", objectKind: "task", result: "ok" }),
  },
  {
    covers: "addMetricCounts",
    run: async (session, { type }) => {
      await addMetricCounts(session, { eventType: type, source: "alive", counts: NO_COUNTS });
      await addMetricCounts(session, { eventType: type, source: "alive", counts: NO_COUNTS });
    },
    uses: ["PRIMARY", "PRIMARY"],
  },
  {
    covers: "storeTypeGauges",
    run: (session, { type }) =>
      storeTypeGauges(session, type, { pending: 1, due: 1, running: 1, failed: 1, oldestDueAgeMs: 1 }),
    uses: ["PRIMARY"],
  },
  { covers: "readSampledGauges", run: (session) => readSampledGauges(session), uses: ["PRIMARY"] },
  { covers: "removeOldMetrics", run: (session) => removeOldMetrics(session, 7 * 86_400_000), uses: ["PRIMARY"] },
  {
    covers: "holdLease",
    how: "held by another",
    run: (session) => holdLease(session, { name: "taken", owner: "self", leaseMs: 1_000 }),
    uses: ["PRIMARY", "PRIMARY", "PRIMARY"],
  },
  {
    covers: "releaseLease",
    run: (session) => releaseLease(session, { name: "taken", owner: "alive" }),
    uses: ["PRIMARY"],
  },
  {
    covers: "registerWorker",
    run: (session) =>
      registerWorker(session, {
        owner: "new",
        host: "h",
        ip: "10.0.0.1",
        pid: 1,
        version: "1",
        deadAfterMs: 10_000,
        eventTypes: ["T0"],
      }),
    uses: ["PRIMARY"],
  },
  {
    covers: "beatStatement",
    run: (session) => session.change(beatStatement(session.zone, "alive")),
    uses: ["PRIMARY"],
  },
  {
    covers: "reportWorker",
    run: (session) => reportWorker(session, { owner: "alive", state: "running", pools: {} }),
    uses: ["PRIMARY"],
  },
  { covers: "stopWorker", run: (session) => stopWorker(session, "alive"), uses: ["PRIMARY"] },
  { covers: "listWorkers", run: (session) => listWorkers(session), wholeTable: REGISTRY },
  { covers: "listDeadOwners", run: (session) => listDeadOwners(session), wholeTable: REGISTRY },
  {
    covers: "removeGoneWorkers",
    run: (session) => removeGoneWorkers(session.at(new Date(Date.now() + YEAR_MS)), 86_400_000),
    wholeTable: REGISTRY,
  },
];

const SHAPES = [
  { name: "20,000 finished rows of 7 types", finished: 20_000, types: 7, live: 420 },
  // Where the optimizer is most tempted to scan: the ids of a batch are a large share of the table.
  { name: "a small hot table of one type", finished: 0, types: 1, live: 300 },
  // A fresh installation: with so few rows a scan looks cheaper than any index, and would lock the rows of others.
  { name: "a handful of rows", finished: 0, types: 1, live: 12 },
] as const;

describe.each(SHAPES)("with $name", (shape) => {
  let test: TestDatabase;
  let sample: Sample;
  beforeAll(async () => {
    test = await createTestDatabase();
    await fill(test, shape);
    sample = await readSample(test);
  });
  afterAll(() => test.drop());

  it.each(CASES.map((one) => [[one.covers, one.how].filter(Boolean).join(", "), one] as const))(
    "%s reads only along its index",
    async (_, one) => {
      const explained = await explainStatements(test, (session) => one.run(session, sample));
      for (const { text, steps } of explained) {
        const judged = steps.filter(({ table }) => table !== one.wholeTable?.[0]);
        expect({ text, faults: planFaults(judged) }).toEqual({ text, faults: [] });
        if (!one.mergesBoundedRows) {
          const sorted = steps.filter((step) => isBuiltForStatement(step) && /filesort/i.test(step.extra));
          expect({ text, sorted }).toEqual({ text, sorted: [] });
        }
      }
      if (one.wholeTable) return;
      expect(explained.map(({ steps }) => keysOf(steps))).toEqual(one.uses ?? []);
    },
  );

  it("finds the fault in a claim that orders by an unindexed column", async () => {
    const [statement] = await explainStatements(test, (session) =>
      session.rows(
        sql`SELECT id FROM t_retry_task FORCE INDEX (idx_claim) WHERE event_type = ${sample.type} AND status = 0
          ORDER BY create_time LIMIT 10`,
      ),
    );
    expect(planFaults(statement?.steps ?? [])).toEqual([expect.stringContaining("sorts the rows itself")]);
  });

  it("finds the fault in a look-up without an index", async () => {
    const [statement] = await explainStatements(test, (session) =>
      session.rows(sql`SELECT id FROM t_retry_task WHERE owner = 'alive'`),
    );
    expect(planFaults(statement?.steps ?? [])).toEqual([expect.stringContaining("reads the whole table")]);
  });
});

describe("the distinct event types", () => {
  it("are read by a loose scan, one index entry per type", async () => {
    const test = await createTestDatabase();
    try {
      await fill(test, SHAPES[0]);
      const [statement] = await explainStatements(test, (session) => listTaskEventTypes(session));
      expect(statement?.steps).toEqual([
        expect.objectContaining({ key: "idx_claim", extra: expect.stringMatching(/using index for group-by/i) }),
      ]);
    } finally {
      await test.drop();
    }
  });
});

describe("the list of cases", () => {
  it("holds every exported function of db/queries that sends a statement", async () => {
    const folder = new URL("./", import.meta.url);
    const files = (await readdir(folder)).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
    const sending: string[] = [];
    const silentFiles: string[] = [];
    for (const file of files) {
      const text = await readFile(new URL(file, folder), "utf8");
      const names = [
        ...text.matchAll(/^export async function (\w+)/gm),
        ...text.matchAll(
          /^export function (\w+)\([^)]*\): (?:Promise<|SQL \{\n {2}return sql`(?:UPDATE|SELECT|DELETE))/gm,
        ),
      ].map((match) => String(match[1]));
      sending.push(...names.map((name) => `${file} ${name}`));
      if (names.length === 0 && /sql`\s*(SELECT|UPDATE|DELETE|INSERT)\b/.test(text)) silentFiles.push(file);
    }
    // The statements of one subject may have their cases in a file of their own: explain-archive.test.ts.
    const others = (await readdir(folder)).filter((name) => /^explain-.+\.test\.ts$/.test(name));
    const otherTexts = await Promise.all(others.map((name) => readFile(new URL(name, folder), "utf8")));
    const coveredElsewhere = otherTexts.flatMap((text) =>
      [...text.matchAll(/covers: "(\w+)"/g)].map(([, name]) => name),
    );
    const covered = new Set([...CASES.map((one) => one.covers), ...coveredElsewhere]);
    expect(sending.length).toBeGreaterThan(30);
    expect(sending.filter((entry) => !covered.has(entry.split(" ")[1] ?? ""))).toEqual([]);
    expect(silentFiles).toEqual([]);
  });
});

function newTask(eventType: string) {
  return {
    eventType,
    bizKey: "explained",
    bizContext: "{}",
    maxRetryCount: 3,
    retryStrategy: "FIXED",
    firstRetryIntervalSeconds: 10,
    due: { delayMs: 0 },
  };
}

async function fill(test: TestDatabase, shape: (typeof SHAPES)[number]): Promise<void> {
  const { zone, database, pool } = test;
  const now = Date.now();
  const rows: string[] = [];
  const add = (n: number, status: number, owner: string | undefined) => {
    const dueTime = zone.format(new Date(now - 60_000 - (n % 5_000) * 1_000));
    const isEnded = status === 1 || status === 2;
    rows.push(
      `('T${n % shape.types}', 'key-${Math.floor(n / 2)}-${n % 2}', '{}', ${status}, 3, 'FIXED', 10, '${dueTime}', '${dueTime}', '${dueTime}', ` +
        `${owner === undefined ? "NULL" : `'${owner}'`}, ${n % 3}, ${isEnded ? `'${dueTime}'` : "NULL"})`,
    );
  };
  for (let n = 0; n < shape.finished; n++) add(n, n % 50 === 0 ? 2 : 1, "alive");
  for (let n = 0; n < shape.live; n++) {
    const at = shape.finished + n;
    if (n % 3 === 0) add(at, 3, n % 2 === 0 ? "alive" : "dead");
    else add(at, n % 10 === 1 ? 2 : 0, undefined);
  }
  for (let start = 0; start < rows.length; start += 1_000) {
    await pool.query(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval,
        next_retry_time, create_time, update_time, owner, claim_no, finished_time) VALUES ${rows.slice(start, start + 1_000).join(",")}`,
    );
  }
  await database.transaction(async (session) => {
    for (let n = 0; n < shape.types; n++) await registerEventType(session, `T${n}`, "{}");
    const others = Array.from({ length: shape.live > 12 ? 20 : 0 }, (_, n) => `other-${n}`);
    for (const owner of ["alive", "dead", ...others]) {
      await registerWorker(session, {
        owner,
        host: "h",
        ip: "10.0.0.1",
        pid: 1,
        version: "1",
        deadAfterMs: owner === "dead" ? -60_000 : 600_000,
        eventTypes: [],
      });
    }
    await holdLease(session, { name: "taken", owner: "alive", leaseMs: 600_000 });
    const failed = await session.rows<{ id: string; event_type: string }>(
      sql`SELECT CAST(id AS CHAR) AS id, event_type FROM t_retry_task WHERE status = 2`,
    );
    for (let round = 0; round < 8; round++) {
      await insertAttempts(
        session,
        failed.map((row, n) => ({
          taskId: row.id,
          eventType: row.event_type,
          kind: n % 5 === 0 ? "recycled" : "retried",
          retryCount: round,
          claimNo: round,
        })),
      );
    }
    for (let minute = 0; minute < (shape.live > 12 ? 60 : 2); minute++) {
      const past = session.at(new Date(now - 8 * 86_400_000 + minute * 4 * 3_600_000));
      for (const source of ["alive", "dead"]) {
        await addMetricCounts(past, { eventType: "T0", source, counts: NO_COUNTS });
      }
    }
  });
  const tables = ["task", "attempt", "metric", "worker", "event_type", "lease"].map((name) => `t_retry_${name}`);
  await pool.query(`ANALYZE TABLE ${tables.join(", ")}`);
}

async function readSample(test: TestDatabase): Promise<Sample> {
  return test.database.use(async (session) => {
    const type = "T0";
    const live = await session.rows<{
      id: string;
      status: number;
      claim_no: number;
      owner: string | null;
      due: string;
    }>(
      sql`SELECT CAST(id AS CHAR) AS id, status, claim_no, owner, CAST(next_retry_time AS CHAR) AS due FROM t_retry_task
        WHERE event_type = ${type} AND status <> 1 ORDER BY next_retry_time, id`,
    );
    const pending = live.filter((row) => row.status === 0);
    const claims = live
      .filter((row) => row.status === 3 && row.owner === "alive")
      .map((row) => ({ id: row.id, claimNo: row.claim_no }));
    const claim = claims[0];
    const failed = live.find((row) => row.status === 2);
    const due = pending[Math.floor(pending.length / 2)]?.due;
    const keys = await session.rows<TaskKey>(
      sql`SELECT event_type AS eventType, biz_key AS bizKey FROM t_retry_task ORDER BY id DESC LIMIT 100`,
    );
    if (!claim || !failed || due === undefined) throw new Error("the filled table lacks a row that the cases need");
    return {
      type,
      pendingIds: pending.map(({ id }) => id).slice(0, 200),
      claims,
      claim,
      failedId: failed.id,
      keys,
      due,
    };
  });
}
