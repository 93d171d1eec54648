import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { explainStatements, isBuiltForStatement, keysOf, planFaults } from "../testing/explain.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { countStep, countSteps } from "./count-task-states.ts";
import { registerEventType } from "./event-types.ts";
import { firstIdSince } from "./find-id-by-time.ts";
import { knownEventTypes } from "./known-event-types.ts";
import { readListRows, readPayloads, readProgress } from "./list-rows.ts";
import { insertSavedView, listSavedViews, removeSavedView } from "./saved-views.ts";
import { searchTasks } from "./search-tasks.ts";
import type { TaskFilter } from "./task-filter.ts";
import {
  orderOf,
  positionAt,
  positionsByBizKey,
  positionsByDueTime,
  positionsById,
  positionsOfBulk,
} from "./task-order.ts";
import { registerWorker } from "./workers.ts";

const AFTER = { id: "120", key: ["2026-01-01 00:10:00.000"] };
const TYPES = ["T0", "T1", "T2"];

interface Case {
  /** The exported function, by name; `how` tells apart several cases of one. */
  readonly covers: string;
  readonly how?: string;
  readonly run: (session: Session) => Promise<unknown>;
  /** The indexes that its statements go through. */
  readonly uses: readonly string[];
  /** Looks whole at a table of one row per type. */
  readonly readsTypes?: true;
}

const page = (filter: TaskFilter, how: string, uses: readonly string[]): Case => ({
  covers: "searchTasks",
  how,
  run: (session) => searchTasks(session, { filter, order: orderOf(filter), limit: 50 }),
  uses,
});
const counted = (filter: Omit<TaskFilter, "state">, how: string, uses: readonly string[]): Case => ({
  covers: "countStep",
  how,
  run: async (session) => {
    for (const step of countSteps(filter)) await countStep(session, step, { filter, eventTypes: TYPES });
  },
  uses,
});
/** Reads the head of an index in its order. */
const FIRST_ENTRIES = /FORCE INDEX \(\w+\) ORDER BY [^()]+ LIMIT \d+\)?/;

const CASES: readonly Case[] = [
  page({ state: "all" }, "newest first", ["PRIMARY"]),
  page({ state: "failed", eventTypes: TYPES }, "of a state", ["PRIMARY", "idx_claim"]),
  page({ state: "due", eventTypes: TYPES, overdueSeconds: 60 }, "overdue", ["PRIMARY", "idx_claim"]),
  page({ state: "stuck", eventTypes: TYPES }, "stuck", ["PRIMARY", "idx_claim"]),
  page({ state: "all", bizKeyPrefix: "key-1" }, "of a beginning of biz keys", ["PRIMARY", "uk_event_biz"]),
  page({ state: "failed", bizKey: "key-2" }, "of one biz key", ["PRIMARY", "uk_event_biz"]),
  page({ state: "all", ids: ["1", "2", "3"] }, "of given ids", ["PRIMARY"]),
  page({ state: "failed", eventTypes: TYPES, wasReset: true }, "that were reset", ["PRIMARY", "idx_claim", "idx_task"]),
  page({ state: "all", bulkId: "7" }, "of a bulk action", ["PRIMARY", "idx_result"]),
  {
    covers: "searchTasks",
    how: "within payloads",
    run: (session) =>
      searchTasks(session, {
        filter: { state: "all", eventTypes: ["T0"], createdFrom: new Date(0), createdTo: new Date() },
        order: { by: "created", direction: "desc" },
        limit: 50,
        payload: {
          ...{ text: "{}", bytesMax: 65_536, range: { from: "1", before: "9000" } },
          admit: async (ids) => new Set((await readPayloads(session, ids, 65_536)).keys()),
        },
      }),
    uses: ["PRIMARY"],
  },
  {
    covers: "positionsById",
    how: "downwards within a range of ids",
    run: (session) =>
      positionsById(session, {
        ...{
          order: { by: "created", direction: "desc" },
          after: AFTER,
          limit: 51,
          range: { from: "2", before: "9000" },
        },
      }),
    uses: ["PRIMARY"],
  },
  ...(["asc", "desc"] as const).map((direction): Case => ({
    covers: "positionsOfBulk",
    how: `${direction} behind a position`,
    run: (session) =>
      positionsOfBulk(session, { bulkId: "7", order: { by: "created", direction }, after: AFTER, limit: 51 }),
    uses: ["idx_result"],
  })),
  {
    covers: "firstIdSince",
    run: (session) => firstIdSince(session, new Date("2026-01-01T00:30:00Z")),
    uses: ["PRIMARY"],
  },
  {
    covers: "positionAt",
    run: (session) => positionAt(session, { by: "created", direction: "desc" }, new Date("2026-01-01T00:30:00Z")),
    uses: ["PRIMARY"],
  },
  { covers: "readPayloads", run: (session) => readPayloads(session, ["1", "2"], 65_536), uses: ["PRIMARY"] },
  {
    covers: "positionsById",
    how: "upwards behind a position",
    run: (session) => positionsById(session, { order: { by: "created", direction: "asc" }, after: AFTER, limit: 51 }),
    uses: ["PRIMARY"],
  },
  ...(["asc", "desc"] as const).map((direction): Case => ({
    covers: "positionsByBizKey",
    how: `${direction} behind a position`,
    run: (session) =>
      positionsByBizKey(session, {
        filter: {},
        order: { by: "bizKey", direction },
        after: { id: "1", key: ["key-2", "T1"] },
        limit: 51,
      }),
    uses: ["uk_event_biz"],
  })),
  {
    covers: "positionsByBizKey",
    how: "of a beginning behind a position",
    run: (session) =>
      positionsByBizKey(session, {
        filter: { bizKeyPrefix: "key-" },
        order: { by: "bizKey", direction: "asc" },
        after: { id: "1", key: ["key-2", "T1"] },
        limit: 51,
      }),
    uses: ["uk_event_biz"],
  },
  ...(["asc", "desc"] as const).map((direction): Case => ({
    covers: "positionsByDueTime",
    how: `${direction} behind a position`,
    run: (session) =>
      positionsByDueTime(session, {
        filter: { state: "due" },
        order: { by: "due", direction },
        wanted: TYPES.map((eventType) => ({ branch: { eventType, status: "pending" }, after: AFTER, limit: 51 })),
      }),
    uses: ["idx_claim"],
  })),
  { covers: "readListRows", run: (session) => readListRows(session, ["1", "2"], { state: "all" }), uses: ["PRIMARY"] },
  { covers: "readProgress", run: (session) => readProgress(session, ["1", "2"]), uses: ["PRIMARY"] },
  counted({}, "of each part from index entries, what is within it from rows", ["PRIMARY", "idx_claim"]),
  counted({ overdueSeconds: 60 }, "overdue", ["PRIMARY", "idx_claim"]),
  counted({ cause: "f1" }, "looking at rows", ["PRIMARY", "idx_claim"]),
  counted({ bizKeyPrefix: "key-1" }, "of a beginning of biz keys", ["PRIMARY", "uk_event_biz"]),
  counted({ ids: ["1", "2"] }, "of given ids", ["PRIMARY"]),
  counted({ bulkId: "7" }, "of a bulk action", ["PRIMARY", "idx_result"]),
  { covers: "knownEventTypes", run: (session) => knownEventTypes(session), uses: [], readsTypes: true },
  {
    covers: "listSavedViews",
    run: (session) => listSavedViews(session, { accountId: "7", page: "tasks" }),
    uses: ["uk_name", "idx_shared"],
  },
  {
    covers: "insertSavedView",
    run: (session) =>
      insertSavedView(session, { accountId: "7", page: "tasks", name: "new", query: "state=due", shared: false }),
    uses: [],
  },
  {
    covers: "removeSavedView",
    run: (session) => removeSavedView(session, { id: "1", accountId: "7" }),
    uses: ["PRIMARY"],
  },
];

const SHAPES = [
  { name: "20,000 rows of 3 types", rows: 20_000 },
  { name: "a handful of rows", rows: 12 },
] as const;

describe.each(SHAPES)("with $name", ({ rows }) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
    await fill(test, rows);
  });
  afterAll(() => test.drop());

  it.each(CASES.map((one) => [[one.covers, one.how].filter(Boolean).join(", "), one] as const))(
    "%s reads only along its index",
    async (_, one) => {
      const explained = await explainStatements(test, one.run);
      for (const { text, steps } of explained) {
        const stored = steps.filter(({ table }) => !one.readsTypes || table === "t_retry_task");
        // Without a bound, the first rows of an index are read as they lie: a walk of LIMIT entries, not of all.
        // One row that was looked up by its key while the plan was made, and is not of the filter, leaves nothing to read.
        const faults = planFaults(stored)
          .filter((fault) => !/whole index/.test(fault) || !FIRST_ENTRIES.test(text))
          .filter((fault) => !/after reading const tables|no matching row in const table/.test(fault));
        expect({ text, faults: one.readsTypes ? [] : faults }).toEqual({ text, faults: [] });
        const sorted = steps.filter((step) => isBuiltForStatement(step) && /filesort/i.test(step.extra));
        expect({ text, sorted }).toEqual({ text, sorted: [] });
      }
      // Without an owner in the one row that is looked up, the registry is not asked.
      const used = explained.flatMap(({ steps }) => keysOf(steps).split(" + ")).filter((key) => key !== "none");
      if (!one.readsTypes) expect([...new Set(used)].sort()).toEqual([...one.uses].sort());
    },
  );
});

async function fill(test: TestDatabase, rows: number): Promise<void> {
  const { pool, database } = test;
  for (let start = 0; start < rows; start += 1_000) {
    const values = Array.from({ length: Math.min(1_000, rows - start) }, (_, at) => {
      const n = start + at;
      const status = n % 7 === 0 ? 3 : n % 5;
      const time = `2026-01-01 00:${String(n % 60).padStart(2, "0")}:00.000`;
      return `('T${n % 3}', 'key-${n}', '{}', ${status}, ${n % 2}, 3, 'FIXED', 10, '${time}', '${time}', '${time}', ${status === 3 ? "'alive'" : "NULL"})`;
    });
    await pool.query(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
        first_retry_interval, next_retry_time, create_time, update_time, owner) VALUES ${values.join(",")}`,
    );
  }
  await database.transaction(async (session) => {
    for (const type of TYPES) await registerEventType(session, type, "{}");
    for (const owner of ["alive", ...Array.from({ length: 20 }, (_, n) => `other-${n}`)]) {
      await registerWorker(session, {
        ...{ owner, host: "h", ip: "10.0.0.1", pid: 1, version: "1", deadAfterMs: 600_000, eventTypes: [] },
      });
    }
    for (let n = 0; n < 60; n++) {
      const view = { page: n % 3 === 0 ? "archive" : "tasks", query: "state=due", shared: n % 2 === 0 };
      await insertSavedView(session, { ...view, accountId: String((n % 10) + 1), name: `view ${n}` });
    }
  });
  const items = Array.from({ length: 600 }, (_, n) => `(${(n % 12) + 1}, ${n + 1}, 'done', 1, NOW(3))`);
  await pool.query(
    `INSERT INTO t_retry_bulk_item (bulk_id, task_id, result, claim_no, create_time) VALUES ${items.join(",")}`,
  );
  const attempts = Array.from({ length: 600 }, (_, n) => `(${n + 1}, 'T0', 'reset', 0, 1, NOW(3))`);
  await pool.query(
    `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, create_time) VALUES ${attempts.join(",")}`,
  );
  await pool.query(
    "ANALYZE TABLE t_retry_task, t_retry_bulk_item, t_retry_attempt, t_retry_worker, t_retry_event_type, t_retry_saved_view",
  );
}
