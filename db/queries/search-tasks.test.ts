import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { render, type Session } from "../session.ts";
import { insertTaskRow } from "../testing/task-rows.ts";
import { countStates } from "../testing/count-states.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { firstIdSince } from "./find-id-by-time.ts";
import { type TaskListCursor, type TaskSearchPage, searchTasks } from "./search-tasks.ts";
import { ReadPace } from "./read-pace.ts";
import type { TaskFilter, TaskState } from "./task-filter.ts";
import { orderOf, positionAt, type TaskOrder } from "./task-order.ts";
import { registerWorker, stopWorker } from "./workers.ts";

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.drop());

const use = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const search = (
  filter: TaskFilter,
  more: { limit?: number; order?: TaskOrder; cursor?: TaskListCursor; scanMax?: number; pace?: ReadPace } = {},
) => use((session) => searchTasks(session, { filter, order: orderOf(filter, more.order), limit: 50, ...more }));
const count = (filter: TaskFilter, more: { countMax?: number; rowsMax?: number } = {}) =>
  use(async (session) => (await countStates(session, filter, more))[filter.state]);
const keys = (page: TaskSearchPage) => page.items.map(({ bizKey }) => bizKey);

/** 5,000 rows of one statement: equal times, several types, states and counts. */
async function insertEqual(rows: number, prefix = "key"): Promise<void> {
  const time = "2026-01-01 00:00:00.000";
  const values = Array.from(
    { length: rows },
    (_, n) =>
      `('T${n % 5}', '${prefix}-${String(n).padStart(5, "0")}', '{}', ${n % 3 === 0 ? 2 : n % 4 === 0 ? 1 : 0}, ${n % 2}, 3, 'FIXED', 10, '${time}', '${time}', '${time}', ${n % 10 === 0 ? "'f1'" : "NULL"})`,
  );
  await test.pool.query(
    `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
      first_retry_interval, next_retry_time, create_time, update_time, error_fingerprint) VALUES ${values.join(",")}`,
  );
}

const ORDERS: readonly (readonly [string, TaskFilter, TaskOrder])[] = [
  ["newest first", { state: "all" }, { by: "created", direction: "desc" }],
  ["oldest first", { state: "all" }, { by: "created", direction: "asc" }],
  ["biz keys upwards", { state: "all" }, { by: "bizKey", direction: "asc" }],
  ["biz keys downwards", { state: "all" }, { by: "bizKey", direction: "desc" }],
  ["failed, newest due first", { state: "failed" }, { by: "due", direction: "desc" }],
  ["failed, oldest due first", { state: "failed" }, { by: "due", direction: "asc" }],
  ["two types in all states", { state: "all", eventTypes: ["T1", "T3"] }, { by: "due", direction: "desc" }],
  ["failed with a cause, which no index holds", { state: "failed", cause: "f1" }, { by: "due", direction: "asc" }],
  [
    "retrying, a beginning of biz keys",
    { state: "retrying", bizKeyPrefix: "key-0" },
    { by: "bizKey", direction: "desc" },
  ],
];

describe("C2: pages over rows with equal times", () => {
  it.each(ORDERS)("show each row exactly once, forwards and back, %s", async (_, filter, order) => {
    await insertEqual(5_000);
    const expected = await use((session) =>
      session.rows<{ id: string }>(
        sql`SELECT CAST(id AS CHAR) AS id FROM t_retry_task WHERE ${sql.raw(conditionOf(filter))} ORDER BY ${sql.raw(orderText(order))}`,
      ),
    );
    const forwards: string[] = [];
    let page = await search(filter, { order });
    for (let n = 0; ; n++) {
      forwards.push(...page.items.map(({ id }) => id));
      expect(page.exhausted).toBe(true);
      if (!page.nextCursor) break;
      // Rows come, which stand anywhere in the order, and rows that no page has shown yet leave the filter or not.
      if (n < 10) await insertEqual(100, `later-${n}`);
      page = await search(filter, { order, cursor: page.nextCursor });
    }
    const known = new Set(expected.map(({ id }) => id));
    expect(forwards.filter((id) => known.has(id))).toEqual(expected.map(({ id }) => id));
    expect(new Set(forwards).size).toBe(forwards.length);

    const backwards: string[] = page.items.map(({ id }) => id);
    while (page.prevCursor) {
      page = await search(filter, { order, cursor: page.prevCursor });
      backwards.unshift(...page.items.map(({ id }) => id));
    }
    expect(backwards.filter((id) => known.has(id))).toEqual(expected.map(({ id }) => id));
    expect(new Set(backwards).size).toBe(backwards.length);
  });

  it("show every row that keeps its state, while others change theirs", async () => {
    await insertEqual(1_000);
    const filter: TaskFilter = { state: "failed" };
    const before = await use((session) =>
      session.rows<{ id: string; biz_key: string }>(
        sql`SELECT CAST(id AS CHAR) AS id, biz_key FROM t_retry_task WHERE status = 2`,
      ),
    );
    const changing = new Set(before.filter((__, n) => n % 3 === 0).map(({ id }) => id));
    const seen: string[] = [];
    let page = await search(filter);
    for (;;) {
      seen.push(...page.items.map(({ id }) => id));
      const [one] = [...changing].filter((id) => !seen.includes(id));
      if (one) await test.pool.query("UPDATE t_retry_task SET status = 0 WHERE id = ?", [one]);
      if (!page.nextCursor) break;
      page = await search(filter, { cursor: page.nextCursor });
    }
    const steady = before.map(({ id }) => id).filter((id) => !changing.has(id));
    expect(steady.filter((id) => !seen.includes(id))).toEqual([]);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("are empty, not an error, beyond the end", async () => {
    await insertEqual(10);
    const beyond: TaskListCursor = { side: "after", position: { id: "1", key: [] } };
    expect(await search({ state: "all" }, { cursor: beyond })).toMatchObject({ items: [], exhausted: true });
  });
});

describe("searchTasks", () => {
  it("tells the states apart, a row on each side of every limit", async () => {
    await use(async (session) => {
      const add = (bizKey: string, values: Parameters<typeof insertTaskRow>[1]) =>
        insertTaskRow(session, { bizKey, ...values });
      for (const owner of ["alive", "gone"]) {
        await registerWorker(session, {
          ...{ owner, host: "h", ip: "10.0.0.1", pid: 1, version: "1", deadAfterMs: 600_000, eventTypes: [] },
        });
      }
      await stopWorker(session, "gone");
      await add("due", { dueInMs: -1_000 });
      await add("due-retrying", { dueInMs: -600_000, retryCount: 1 });
      await add("scheduled", { dueInMs: 600_000 });
      await add("scheduled-retrying", { dueInMs: 600_000, retryCount: 2 });
      await add("running", { status: "running", owner: "alive" });
      await add("stopped-owner", { status: "running", owner: "gone" });
      await add("foreign-fresh", { status: "running", owner: null });
      await add("foreign-old", { status: "running", owner: null, updateTime: new Date(Date.now() - 600_000) });
      await add("failed", { status: "failed" });
      await add("succeeded", { status: "succeeded" });
      await add("cancelled", { status: "cancelled" });
    });
    const expected: Record<Exclude<TaskState, "all">, string[]> = {
      due: ["due", "due-retrying"],
      scheduled: ["scheduled", "scheduled-retrying"],
      running: ["foreign-fresh", "foreign-old", "running", "stopped-owner"],
      retrying: ["due-retrying", "scheduled-retrying"],
      failed: ["failed"],
      stuck: ["foreign-old", "stopped-owner"],
      succeeded: ["succeeded"],
      cancelled: ["cancelled"],
    };
    for (const [state, shown] of Object.entries(expected)) {
      const filter = { state: state as TaskState };
      expect([state, keys(await search(filter)).sort()]).toEqual([state, shown]);
      expect([state, await count(filter)]).toEqual([state, { count: shown.length, atLeast: false }]);
    }
    expect((await search({ state: "all" })).items).toHaveLength(11);
    expect(await count({ state: "all" })).toEqual({ count: 11, atLeast: false });
    expect(keys(await search({ state: "due", overdueSeconds: 300 }))).toEqual(["due-retrying"]);
    const stuck = (await search({ state: "all" })).items.filter(({ isStuck }) => isStuck);
    expect(stuck.map(({ bizKey }) => bizKey).sort()).toEqual(["foreign-old", "stopped-owner"]);
  });

  it("narrows by every part of a filter, byte by byte", async () => {
    await use(async (session) => {
      const add = (bizKey: string, values: Parameters<typeof insertTaskRow>[1]) =>
        insertTaskRow(session, { bizKey, ...values });
      await add("order-1", { eventType: "A", errorFingerprint: "f1", lastError: "Time out 50%", owner: "host_a-1" });
      await add("ORDER-1", { eventType: "A", retryCount: 3, recycleCount: 1, owner: "hostXa-1" });
      await add("order%1", { eventType: "B", createTime: new Date("2026-01-01T00:00:00Z") });
    });
    const found = async (filter: Omit<TaskFilter, "state">) => {
      const page = keys(await search({ state: "all", ...filter })).sort();
      expect(await count({ state: "all", ...filter })).toEqual({ count: page.length, atLeast: false });
      return page;
    };
    expect(await found({ bizKey: "order-1" })).toEqual(["order-1"]);
    expect(await found({ bizKeyPrefix: "order" })).toEqual(["order%1", "order-1"]);
    expect(await found({ bizKeyPrefix: "order%" })).toEqual(["order%1"]);
    expect(await found({ eventTypes: ["B"] })).toEqual(["order%1"]);
    expect(await found({ eventTypes: [] })).toEqual([]);
    expect(await found({ cause: "f1" })).toEqual(["order-1"]);
    expect(await found({ errorText: "50%" })).toEqual(["order-1"]);
    expect(await found({ worker: "host_a" })).toEqual(["order-1"]);
    expect(await found({ minAttempts: 3 })).toEqual(["ORDER-1"]);
    expect(await found({ recycled: true })).toEqual(["ORDER-1"]);
    expect(await found({ createdTo: new Date("2026-01-01T00:00:00.001Z") })).toEqual(["order%1"]);
    expect(await found({ createdFrom: new Date("2026-01-01T00:00:00.001Z"), eventTypes: ["B"] })).toEqual([]);
    const ids = (await search({ state: "all" })).items.map(({ id }) => id);
    expect(await found({ ids: [ids[0] ?? "", "999999"] })).toHaveLength(1);
  });

  it("finds the tasks that a person has reset, and those that a bulk action changed", async () => {
    const [reset = "", other = "", undone = ""] = await use(async (session) => {
      const added: string[] = [];
      for (const bizKey of ["reset", "other", "undone"]) added.push(await insertTaskRow(session, { bizKey }));
      return added;
    });
    await test.pool.query(
      `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, create_time)
        VALUES (?, 'TEST', 'reset', 0, 1, NOW(3)), (?, 'TEST', 'reset', 0, 1, NOW(3)), (?, 'TEST', 'failed', 0, 1, NOW(3))`,
      [reset, reset, other],
    );
    await test.pool.query(
      `INSERT INTO t_retry_bulk_item (bulk_id, task_id, result, claim_no, create_time)
        VALUES (7, ?, 'done', 1, NOW(3)), (7, 999999, 'done', 1, NOW(3)), (7, ?, 'skipped', 1, NOW(3)), (8, ?, 'done', 1, NOW(3))`,
      [reset, other, undone],
    );
    for (const [filter, found] of [
      [{ state: "all", wasReset: true }, ["reset"]],
      [{ state: "all", bulkId: "7" }, ["reset"]],
      [{ state: "all", bulkId: "8", eventTypes: ["TEST"] }, ["undone"]],
      [{ state: "all", bulkId: "8", wasReset: true }, []],
      [{ state: "failed", bulkId: "7" }, []],
      [{ state: "all", bulkId: "7", ids: [other, reset] }, ["reset"]],
    ] as const) {
      expect([filter, keys(await search(filter))]).toEqual([filter, found]);
      expect([filter, await count(filter)]).toEqual([filter, { count: found.length, atLeast: false }]);
    }
  });

  it.each(["created", "due"] as const)(
    "begins at an instant in the order %s, up and down, with the way back",
    async (by) => {
      const start = Date.UTC(2026, 0, 1);
      const at = (n: number) => new Date(start + n * 60_000);
      await use(async (session) => {
        for (let n = 0; n < 30; n++) {
          const values = { bizKey: `k-${String(n).padStart(2, "0")}`, createTime: at(n), nextRetryTime: at(n) };
          await insertTaskRow(session, { status: "failed", ...values });
        }
        await session.run("DELETE FROM t_retry_task WHERE biz_key IN ('k-10', 'k-11', 'k-20')");
      });
      const filter: TaskFilter = by === "due" ? { state: "failed" } : { state: "all" };
      for (const [direction, n, expected, before] of [
        ["asc", 9, ["k-09", "k-12"], ["k-07", "k-08"]],
        ["asc", 10.5, ["k-12", "k-13"], ["k-08", "k-09"]],
        ["asc", -5, ["k-00", "k-01"], []],
        ["asc", 99, [], undefined],
        ["desc", 20, ["k-19", "k-18"], ["k-22", "k-21"]],
        ["desc", 12, ["k-12", "k-09"], ["k-14", "k-13"]],
        ["desc", -5, [], undefined],
      ] as const) {
        const order = { by, direction };
        const position = await use((session) => positionAt(session, order, at(n)));
        if (!position) throw new Error("an order of time has a position");
        const page = await search(filter, { order, limit: 2, cursor: { side: "after", position } });
        expect([direction, n, keys(page)]).toEqual([direction, n, expected]);
        if (before === undefined) continue;
        const back = await search(filter, { order, limit: 2, ...(page.prevCursor && { cursor: page.prevCursor }) });
        expect([direction, n, keys(back)]).toEqual([direction, n, before]);
      }
      expect(await use((session) => positionAt(session, { by: "bizKey", direction: "asc" }, at(0)))).toBeUndefined();
    },
  );

  it("finds the id of an instant in a number of reads that does not grow with the table", async () => {
    await insertEqual(3_000);
    let reads = 0;
    const id = await use((session) => {
      const rows = session.rows.bind(session);
      session.rows = async (statement) => {
        reads++;
        return rows(statement);
      };
      return firstIdSince(session, new Date("2026-01-01T00:00:00.001Z"));
    });
    const [last] = await use((session) =>
      session.rows<{ id: string }>(sql`SELECT CAST(MAX(id) AS CHAR) AS id FROM t_retry_task`),
    );
    expect(reads).toBeLessThanOrEqual(64);
    expect(BigInt(id)).toBeGreaterThan(BigInt(last?.id ?? 0));
  });

  it("stops at its scan limit, says how many rows it looked at, and goes on from there both ways", async () => {
    await insertEqual(1_000);
    const filter: TaskFilter = { state: "all", cause: "f1" };
    const first = await search(filter, { scanMax: 300 });
    expect(first).toMatchObject({ exhausted: false, scanned: 300 });
    expect(first.items).toHaveLength(30);
    const second = await search(filter, { scanMax: 300, ...(first.nextCursor && { cursor: first.nextCursor }) });
    expect(second.items).toHaveLength(30);
    const back = await search(filter, { scanMax: 300, ...(second.prevCursor && { cursor: second.prevCursor }) });
    expect(back.items).toEqual(first.items);

    const none = await search({ state: "all", cause: "none" }, { scanMax: 300 });
    expect(none).toMatchObject({ items: [], exhausted: false, startCursor: undefined });
    expect(none.nextCursor).toBeDefined();
    expect(await count(filter, { rowsMax: 300 })).toMatchObject({ atLeast: true });
    expect(await count(filter, { rowsMax: 1_000 })).toEqual({ count: 100, atLeast: false });
    expect(await count({ state: "failed" }, { countMax: 100 })).toEqual({ count: 100, atLeast: true });
    expect(await count({ state: "failed", cause: "f1" }, { rowsMax: 20 })).toMatchObject({ atLeast: true });
  });

  it("stops when its time is used up, whatever it found, and goes on from there both ways while rows move", async () => {
    await insertEqual(1_000);
    const filter: TaskFilter = { state: "failed", cause: "f1" };
    const order: TaskOrder = { by: "due", direction: "asc" };
    // Each read takes 10 ms: a page makes two of them, of 6 and 12 rows.
    const cut = (cursor?: TaskListCursor) => {
      let ms = 0;
      const pace = new ReadPace({ budgetMs: 25, firstRows: 6, rowsMax: 12, nowMs: () => (ms += 10) });
      return search(filter, { order, limit: 5, pace, ...(cursor && { cursor }) });
    };
    const expected = keys(await search(filter, { order, limit: 500 }));
    const moving = new Set(expected.filter((_, n) => n % 4 === 1));
    const forwards: string[] = [];
    let page = await cut();
    expect(page).toMatchObject({ exhausted: false, searchOn: "next", scanned: 18 });
    for (;;) {
      forwards.push(...keys(page));
      const [one] = [...moving].filter((key) => !forwards.includes(key));
      if (one) await test.pool.query("UPDATE t_retry_task SET status = 0 WHERE biz_key = ?", [one]);
      if (!page.nextCursor) break;
      page = await cut(page.nextCursor);
    }
    const steady = expected.filter((key) => !moving.has(key));
    expect(forwards.filter((key) => !moving.has(key))).toEqual(steady);
    expect(new Set(forwards).size).toBe(forwards.length);

    const backwards = keys(page);
    let stops = 0;
    while (page.prevCursor) {
      page = await cut(page.prevCursor);
      if (!page.exhausted) stops++;
      expect(page.searchOn).toBe(page.exhausted ? undefined : "prev");
      backwards.unshift(...keys(page));
    }
    expect(stops).toBeGreaterThan(3);
    expect(backwards.filter((key) => !moving.has(key))).toEqual(steady);
    expect(new Set(backwards).size).toBe(backwards.length);
  });

  it("takes no notice of the time where an index decides", async () => {
    await insertEqual(300);
    const late = new ReadPace({ budgetMs: 0, firstRows: 1, rowsMax: 1, nowMs: () => 1_000 });
    const page = await search({ state: "failed" }, { pace: late });
    expect(page.items).toHaveLength(50);
    expect(page).toMatchObject({ exhausted: true, searchOn: undefined });
  });

  it("never reads a payload", async () => {
    await insertEqual(5);
    const texts: string[] = [];
    await use(async (session) => {
      const rows = session.rows.bind(session);
      session.rows = async (statement) => {
        texts.push(render(statement).text);
        return rows(statement);
      };
      await searchTasks(session, { filter: { state: "failed" }, order: { by: "due", direction: "desc" }, limit: 50 });
    });
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.filter((text) => text.includes("biz_context"))).toEqual([]);
  });

  it("reads a page of 500 types in a bounded number of statements", async () => {
    const values = Array.from(
      { length: 5_000 },
      (_, n) =>
        `('TYPE-${n % 500}', 'k-${n}', '{}', 2, 3, 'FIXED', 10, TIMESTAMPADD(SECOND, ${(n * 7919) % 5_000}, '2026-01-01 00:00:00.000'))`,
    );
    await test.pool.query(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy,
        first_retry_interval, next_retry_time) VALUES ${values.join(",")}`,
    );
    let statements = 0;
    const page = await use((session) => {
      const rows = session.rows.bind(session);
      session.rows = async (statement) => {
        statements++;
        return rows(statement);
      };
      return searchTasks(session, { filter: { state: "failed" }, order: { by: "due", direction: "desc" }, limit: 50 });
    });
    const expected = await use((session) =>
      session.rows<{ id: string }>(
        sql`SELECT CAST(id AS CHAR) AS id FROM t_retry_task ORDER BY next_retry_time DESC, t_retry_task.id DESC LIMIT 50`,
      ),
    );
    expect(page.items.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expect(statements).toBeLessThanOrEqual(16);
    expect(await count({ state: "failed" })).toEqual({ count: 5_000, atLeast: false });
  });
});

function conditionOf(filter: TaskFilter): string {
  const parts = ["TRUE"];
  if (filter.state === "failed") parts.push("status = 2");
  if (filter.state === "retrying") parts.push("status = 0 AND retry_count > 0");
  if (filter.eventTypes) parts.push(`event_type IN (${filter.eventTypes.map((name) => `'${name}'`).join(",")})`);
  if (filter.cause) parts.push(`error_fingerprint = '${filter.cause}'`);
  if (filter.bizKeyPrefix) parts.push(`biz_key LIKE '${filter.bizKeyPrefix}%'`);
  return parts.join(" AND ");
}

function orderText({ by, direction }: TaskOrder): string {
  const columns = {
    created: ["t_retry_task.id"],
    due: ["next_retry_time", "t_retry_task.id"],
    bizKey: ["biz_key", "event_type"],
  }[by];
  return columns.map((column) => `${column} ${direction}`).join(", ");
}
