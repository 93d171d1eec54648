import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { explainStatements, keysOf, planFaults } from "../testing/explain.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { insertBulkItems, listKnownItems, listLiveIds, lockForBulk, lockForRevert, revertTasks } from "./bulk-batch.ts";
import { listCandidates, narrowCandidates } from "./bulk-candidates.ts";
import {
  findBulkByRequest,
  insertBulk,
  listBulks,
  listBulksInStates,
  lockBulk,
  readBulk,
  readBulkBounds,
} from "./bulk-operations.ts";
import { countBulkOutcome, countSkips, listBulkItems } from "./bulk-outcome.ts";
import type { BulkScope } from "./bulk-scope.ts";
import { countResetBefore, readSamples, summarizeMatches } from "./bulk-summary.ts";
import {
  abortBulk,
  approveBulk,
  beatBulk,
  endBulk,
  passCanary,
  pauseBulk,
  releaseBulk,
  resumeBulk,
  saveBulkProgress,
  setBulkPace,
  startBulk,
  takeOverBulk,
} from "./bulk-transitions.ts";
import { cancelTasks } from "./cancel-tasks.ts";
import { resetTasks } from "./reset-tasks.ts";

interface Sample {
  readonly bulkId: string;
  readonly ids: readonly string[];
  readonly scope: BulkScope;
}

interface Case {
  readonly covers: string;
  readonly how?: string;
  readonly run: (session: Session, sample: Sample) => Promise<unknown>;
  /** Per statement that reads stored rows, in order: the indexes it goes through. */
  readonly uses: readonly string[];
}

const mine = (id: string) => ({ id, owner: "w-1" });
const WRITTEN = {
  status: 2,
  retryCount: 3,
  recycleCount: 0,
  nextRetryTime: "2026-11-01 00:00:00.000",
  finishReason: null,
  startedTime: null,
  finishedTime: null,
  ip: null,
  owner: null,
};

const CASES: readonly Case[] = [
  {
    covers: "listCandidates",
    how: "of a type",
    run: (session, { scope }) => listCandidates(session, scope, { kind: "range", type: 0 }),
    uses: ["idx_claim"],
  },
  {
    covers: "listCandidates",
    how: "of a type and one cause, after a cursor",
    run: (session, { scope }) =>
      listCandidates(
        session,
        { ...scope, filter: { ...scope.filter, cause: "f1" } },
        { kind: "range", type: 0, due: session.zone.format(new Date(Date.now() - 3_600_000)), id: "77" },
      ),
    uses: ["idx_claim"],
  },
  {
    covers: "listCandidates",
    how: "of another action",
    run: (session, { scope, bulkId }) =>
      listCandidates(session, { ...scope, filter: { ...scope.filter, bulkId } }, { kind: "items", id: "5" }),
    uses: ["idx_result"],
  },
  {
    covers: "narrowCandidates",
    run: (session, { scope, ids }) => narrowCandidates(session, scope, ids),
    uses: ["PRIMARY"],
  },
  { covers: "lockForBulk", run: (session, { scope, ids }) => lockForBulk(session, ids, scope), uses: ["PRIMARY"] },
  {
    covers: "lockForRevert",
    run: (session, { ids, bulkId }) => lockForRevert(session, ids, bulkId),
    uses: ["PRIMARY + PRIMARY"],
  },
  { covers: "listLiveIds", run: (session, { ids }) => listLiveIds(session, ids), uses: ["PRIMARY"] },
  {
    covers: "listKnownItems",
    run: (session, { ids, bulkId }) => listKnownItems(session, bulkId, ids),
    uses: ["PRIMARY"],
  },
  {
    covers: "revertTasks",
    run: (session, { ids }) =>
      revertTasks(
        session,
        ids.map((id) => ({ id, claimNo: 3, written: WRITTEN })),
      ),
    uses: ["PRIMARY"],
  },
  {
    covers: "insertBulkItems",
    run: (session, { ids }) =>
      insertBulkItems(
        session,
        "99",
        ids.map((taskId) => ({ taskId, result: "done", claimNo: 1 })),
      ),
    uses: [],
  },
  { covers: "resetTasks", run: (session, { ids }) => resetTasks(session, { ids, jitterMs: 1_000 }), uses: ["PRIMARY"] },
  { covers: "cancelTasks", run: (session, { ids }) => cancelTasks(session, ids), uses: ["PRIMARY"] },
  {
    covers: "insertBulk",
    run: (session, { scope }) =>
      insertBulk(session, {
        ...scope,
        name: "n",
        state: "scheduled",
        ratePerSecond: 50,
        jitterMs: 0,
        canaryRows: 0,
        canaryShare: undefined,
        reason: "r",
        actor: "a",
        estimate: 1,
        startDelayMs: 0,
      }),
    uses: [],
  },
  { covers: "readBulk", run: (session, { bulkId }) => readBulk(session, bulkId), uses: ["PRIMARY"] },
  { covers: "lockBulk", run: (session, { bulkId }) => lockBulk(session, bulkId), uses: ["PRIMARY"] },
  { covers: "findBulkByRequest", run: (session) => findBulkByRequest(session, "key-5"), uses: ["uk_request"] },
  { covers: "listBulks", run: (session) => listBulks(session, { limit: 20, before: "90" }), uses: ["PRIMARY"] },
  {
    covers: "listBulksInStates",
    run: (session) => listBulksInStates(session, ["scheduled", "canary", "running"]),
    uses: ["idx_state"],
  },
  {
    covers: "startBulk",
    run: (session, { bulkId }) => startBulk(session, { ...mine(bulkId), state: "running" }),
    uses: ["PRIMARY"],
  },
  { covers: "takeOverBulk", run: (session, { bulkId }) => takeOverBulk(session, mine(bulkId)), uses: ["PRIMARY"] },
  { covers: "beatBulk", run: (session, { bulkId }) => beatBulk(session, mine(bulkId)), uses: ["PRIMARY"] },
  { covers: "releaseBulk", run: (session, { bulkId }) => releaseBulk(session, mine(bulkId)), uses: ["PRIMARY"] },
  {
    covers: "saveBulkProgress",
    run: (session, { bulkId }) => saveBulkProgress(session, { ...mine(bulkId), done: 1, skipped: 0 }),
    uses: ["PRIMARY"],
  },
  {
    covers: "endBulk",
    run: (session, { bulkId }) => endBulk(session, { ...mine(bulkId), state: "finished" }),
    uses: ["PRIMARY"],
  },
  { covers: "passCanary", run: (session, { bulkId }) => passCanary(session, mine(bulkId)), uses: ["PRIMARY"] },
  {
    covers: "approveBulk",
    run: (session, { bulkId }) => approveBulk(session, { id: bulkId, approvedBy: "bob", startDelayMs: 0 }),
    uses: ["PRIMARY"],
  },
  { covers: "pauseBulk", run: (session, { bulkId }) => pauseBulk(session, bulkId), uses: ["PRIMARY"] },
  { covers: "resumeBulk", run: (session, { bulkId }) => resumeBulk(session, bulkId), uses: ["PRIMARY"] },
  { covers: "abortBulk", run: (session, { bulkId }) => abortBulk(session, bulkId), uses: ["PRIMARY"] },
  {
    covers: "setBulkPace",
    run: (session, { bulkId }) => setBulkPace(session, { id: bulkId, ratePerSecond: 5 }),
    uses: ["PRIMARY"],
  },
  {
    covers: "countBulkOutcome",
    run: (session, { bulkId }) => countBulkOutcome(session, { bulkId, since: new Date(Date.now() - 3_600_000) }),
    uses: ["PRIMARY + idx_result", "PRIMARY + PRIMARY + idx_result"],
  },
  { covers: "countSkips", run: (session, { bulkId }) => countSkips(session, bulkId), uses: ["idx_result"] },
  {
    covers: "listBulkItems",
    run: (session, { bulkId }) => listBulkItems(session, { bulkId, after: "7", limit: 50 }),
    uses: ["PRIMARY + PRIMARY"],
  },
  {
    covers: "listBulkItems",
    how: "with one result",
    run: (session, { bulkId }) => listBulkItems(session, { bulkId, result: "skipped", limit: 50 }),
    uses: ["idx_result + PRIMARY"],
  },
  {
    covers: "summarizeMatches",
    how: "of a type",
    run: (session, { scope }) => summarizeMatches(session, scope),
    uses: ["idx_claim", "PRIMARY + idx_claim"],
  },
  {
    covers: "summarizeMatches",
    how: "of given tasks",
    run: (session, { scope, ids }) => summarizeMatches(session, { ...scope, filter: { ...scope.filter, ids } }),
    uses: ["", "PRIMARY"],
  },
  {
    covers: "summarizeMatches",
    how: "of another action",
    run: (session, { scope, bulkId }) => summarizeMatches(session, { ...scope, filter: { ...scope.filter, bulkId } }),
    uses: ["idx_result", "PRIMARY + idx_result"],
  },
  { covers: "readSamples", run: (session, { ids }) => readSamples(session, ids.slice(0, 5)), uses: ["PRIMARY"] },
  { covers: "countResetBefore", run: (session, { ids }) => countResetBefore(session, ids, 2), uses: ["idx_task"] },
];

/** The newest id is answered from the end of the primary key before any plan is made. */
const WITHOUT_PLAN: readonly Omit<Case, "uses">[] = [
  { covers: "readBulkBounds", run: (session) => readBulkBounds(session) },
];

const SHAPES = [
  { name: "20,000 rows of 5 types", rows: 20_000 },
  { name: "a table that is nearly empty", rows: 300 },
] as const;

describe.each(SHAPES)("with $name", (shape) => {
  let test: TestDatabase;
  let sample: Sample;
  beforeAll(async () => {
    test = await createTestDatabase();
    sample = await fill(test, shape.rows);
  });
  afterAll(() => test.drop());

  it.each(CASES.map((one) => [[one.covers, one.how].filter(Boolean).join(", "), one] as const))(
    "%s reads only along its index",
    async (_, one) => {
      const explained = await explainStatements(test, (session) => one.run(session, sample));
      for (const { text, steps } of explained) {
        const stored = steps.filter(({ table }) => table.startsWith("t_retry") || ["t", "a", "item"].includes(table));
        expect({ text, faults: planFaults(stored) }).toEqual({ text, faults: [] });
      }
      const keys = explained
        .map(({ steps }) =>
          keysOf(steps.filter(({ table }) => table.startsWith("t_retry") || ["t", "a", "item"].includes(table))),
        )
        .filter((key, index) => !(key === "" && one.uses[index] === undefined));
      expect(keys).toEqual(one.uses);
    },
  );

  it.each(WITHOUT_PLAN.map((one) => [one.covers, one] as const))("%s reads no row", async (_, one) => {
    const explained = await explainStatements(test, (session) => one.run(session, sample));
    expect(explained.flatMap(({ steps }) => steps.map(({ extra }) => extra))).toEqual([
      expect.stringMatching(/optimized away/i),
    ]);
  });
});

async function fill(test: TestDatabase, count: number): Promise<Sample> {
  const { zone, pool, database } = test;
  const now = Date.now();
  for (let start = 0; start < count; start += 2_000) {
    const rows = Array.from({ length: Math.min(2_000, count - start) }, (_, index) => {
      const n = start + index;
      const at = zone.format(new Date(now - 3_600_000 - (n % 5_000) * 1_000));
      return `('T${n % 5}', 'key-${n}', '{}', ${n % 3}, ${n % 4}, 3, 'FIXED', 10, '${at}', '${at}', '${at}', ${n % 3 === 0 ? "NULL" : `'${at}'`}, 'f${n % 7}', 3)`;
    });
    await pool.query(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy, first_retry_interval,
        next_retry_time, create_time, update_time, finished_time, error_fingerprint, claim_no) VALUES ${rows.join(",")}`,
    );
  }
  await pool.query(
    "INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, create_time) SELECT id, event_type, IF(id % 4 = 0, 'reset', 'failed'), 1, 1, create_time FROM t_retry_task",
  );
  const sample = await database.transaction(async (session) => {
    const bounds = await readBulkBounds(session);
    const scope: BulkScope = { action: "reset", filter: { state: "failed", eventTypes: ["T0"] }, bounds };
    const rows = await session.rows<{ id: string }>(
      sql`SELECT CAST(id AS CHAR) AS id FROM t_retry_task WHERE event_type = 'T0' AND status = 2 ORDER BY id LIMIT 150`,
    );
    const ids = rows.map(({ id }) => id);
    let bulkId = "";
    for (let n = 0; n < 100; n++) {
      bulkId = await insertBulk(session, {
        ...scope,
        name: `n${n}`,
        requestKey: `key-${n}`,
        state: "scheduled",
        ratePerSecond: 50,
        jitterMs: 0,
        canaryRows: 0,
        canaryShare: undefined,
        reason: "r",
        actor: "ada",
        estimate: 1,
        startDelayMs: 0,
      });
      if (n % 20 !== 19) await abortBulk(session, bulkId);
    }
    return { bulkId, ids, scope };
  });
  // Items of tasks that are no longer live lead to the archive too.
  await pool.query(
    `INSERT INTO t_retry_bulk_item (bulk_id, task_id, result, detail, claim_no, create_time)
      SELECT ${sample.bulkId}, id, IF(id % 9 = 0, 'skipped', 'done'), IF(id % 9 = 0, 'running', NULL), 3, create_time FROM t_retry_task`,
  );
  await pool.query(
    `INSERT INTO t_retry_bulk_item (bulk_id, task_id, result, claim_no, create_time)
      SELECT ${sample.bulkId}, id + 1000000, 'done', 3, create_time FROM t_retry_task LIMIT 50`,
  );
  await pool.query("ANALYZE TABLE t_retry_task, t_retry_attempt, t_retry_bulk, t_retry_bulk_item");
  return sample;
}
