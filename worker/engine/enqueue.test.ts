import { drizzle } from "drizzle-orm/mysql2";
import { sql } from "drizzle-orm";
import type { Pool, PoolConnection } from "mysql2/promise";
import mysqlCallback from "mysql2";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { DEFAULT_EVENT_TYPE_SETTINGS } from "../../db/event-type-settings.ts";
import { registerEventType } from "../../db/queries/event-types.ts";
import { RecordingClock } from "../testing/recording-clock.ts";
import { CallLog, Scenario } from "../testing/scenario.ts";
import { waitFor } from "../testing/wait-for.ts";
import { checkTask, type EnqueueTask } from "./enqueue.ts";
import { createEngine, EnqueueError, RedriveError, type SqlSeam, type TransactionHandle } from "./index.ts";

const scenario = new Scenario();
beforeAll(() => scenario.database.pool.query("CREATE TABLE business (id varchar(40) PRIMARY KEY) ENGINE=InnoDB"));

const LIMIT_BYTES = 1_000;
const type = { settings: DEFAULT_EVENT_TYPE_SETTINGS, schema: undefined };
const check = async (task: object, schema?: z.ZodType) =>
  checkTask({ eventType: "X", bizKey: "k", ...task } as EnqueueTask, { ...type, schema }, LIMIT_BYTES);
const refusal = async (checking: Promise<unknown>): Promise<EnqueueError> => {
  const error: unknown = await checking.then(
    () => new Error("was not refused"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(EnqueueError);
  return error as EnqueueError;
};

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

const BAD: readonly (readonly [what: string, task: object, code: string, message: RegExp])[] = [
  ["an empty key", { bizKey: "" }, "INVALID_BIZ_KEY", /empty/],
  ["no key", { bizKey: undefined }, "INVALID_BIZ_KEY", /undefined, not a text/],
  ["a number as key", { bizKey: 7 }, "INVALID_BIZ_KEY", /number, not a text/],
  ["a key of 129 characters", { bizKey: "x".repeat(129) }, "INVALID_BIZ_KEY", /129 characters, the limit is 128/],
  ["a key of 129 emoji", { bizKey: "😀".repeat(129) }, "INVALID_BIZ_KEY", /129 characters/],
  ["NUL in the key", { bizKey: "a\0b" }, "INVALID_BIZ_KEY", /NUL/],
  ["half a surrogate pair in the key", { bizKey: "a\ud83d" }, "INVALID_BIZ_KEY", /surrogate/],
  [
    "a payload that is too large",
    { bizContext: "x".repeat(999) },
    "PAYLOAD_TOO_LARGE",
    /1001 bytes, the limit is 1000/,
  ],
  ["few characters, too many bytes", { bizContext: "付".repeat(333) }, "PAYLOAD_TOO_LARGE", /1001 bytes/],
  ["a bigint in the payload", { bizContext: { id: 1n } }, "INVALID_PAYLOAD", /BigInt/],
  ["a cycle in the payload", { bizContext: cycle }, "INVALID_PAYLOAD", /circular/i],
  ["a function as payload", { bizContext: () => 1 }, "INVALID_PAYLOAD", /function cannot be written as JSON/],
  ["a symbol as payload", { bizContext: Symbol("s") }, "INVALID_PAYLOAD", /symbol/],
  ["payload text that is not JSON", { bizContextText: '{"a":' }, "INVALID_PAYLOAD", /not JSON/],
  ["an empty payload text", { bizContextText: "" }, "INVALID_PAYLOAD", /not JSON/],
  ["half a surrogate pair in payload text", { bizContextText: '"\ud83d"' }, "INVALID_PAYLOAD", /surrogate/],
  ["payload and payload text", { bizContext: 1, bizContextText: "1" }, "INVALID_OPTION", /choose one/],
  ["delayMs and runAt", { delayMs: 5, runAt: new Date() }, "INVALID_OPTION", /choose one/],
  ["a negative delay", { delayMs: -1 }, "INVALID_OPTION", /delayMs -1/],
  ["a delay of half a millisecond", { delayMs: 0.5 }, "INVALID_OPTION", /delayMs 0.5/],
  ["an absurd delay", { delayMs: 1e15 }, "INVALID_OPTION", /ten years/],
  ["NaN as delay", { delayMs: Number.NaN }, "INVALID_OPTION", /delayMs NaN/],
  ["an invalid Date", { runAt: new Date("tomorrow") }, "INVALID_OPTION", /runAt is not a valid Date/],
  ["a text as Date", { runAt: "2030-01-01" }, "INVALID_OPTION", /runAt is not a valid Date/],
  ["a Date in 20 years", { runAt: new Date(Date.now() + 6.4e11) }, "INVALID_OPTION", /ten years/],
  ["maxRetryCount 0", { maxRetryCount: 0 }, "INVALID_OPTION", /maxRetryCount 0/],
  ["maxRetryCount 1.5", { maxRetryCount: 1.5 }, "INVALID_OPTION", /maxRetryCount 1.5/],
  ["a negative interval", { firstIntervalSeconds: -10 }, "INVALID_OPTION", /firstIntervalSeconds -10/],
  ["an interval of 0", { firstIntervalSeconds: 0 }, "INVALID_OPTION", /firstIntervalSeconds 0/],
  ["an interval above 24 h", { firstIntervalSeconds: 86_401 }, "INVALID_OPTION", /86400 \(24 h\)/],
  ["an interval of 34.7 days", { firstIntervalSeconds: 3_000_000 }, "INVALID_OPTION", /24 h/],
  ["a strategy nobody knows", { retryStrategy: "FIBONACCI" }, "INVALID_OPTION", /FIBONACCI.*FIXED, EXPONENTIAL/],
  ["an option nobody knows", { delay: 5 }, "INVALID_OPTION", /unknown option "delay"/],
  ["an onDuplicate nobody knows", { onDuplicate: "ignore" }, "INVALID_OPTION", /onDuplicate "ignore"/],
  ["a parent that is no id", { parentId: "abc" }, "INVALID_OPTION", /parentId/],
  ["a parent beyond 64 bits", { parentId: "9223372036854775808" }, "INVALID_OPTION", /parentId/],
  ["a trace parent that is too long", { traceParent: "x".repeat(65) }, "INVALID_OPTION", /64 characters/],
];

describe("checkTask", () => {
  it.each(BAD)("refuses %s", async (_, task, code, message) => {
    const error = await refusal(check(task));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
    expect(error.message).toContain("task X/");
  });

  it.each<readonly [string, object]>([
    ["a key of 128 characters", { bizKey: "x".repeat(128) }],
    ["a key of 128 emoji", { bizKey: "😀".repeat(128) }],
    ["a payload that just fits", { bizContext: "x".repeat(998) }],
    ["many bytes that just fit", { bizContext: "付".repeat(332) }],
    ["the longest delay", { delayMs: 315_360_000_000 }],
    ["a moment that has passed", { runAt: new Date(Date.now() - 60_000) }],
    ["one attempt", { maxRetryCount: 1 }],
    ["24 hours as interval", { firstIntervalSeconds: 86_400 }],
    ["the highest id as parent", { parentId: "9223372036854775807" }],
  ])("takes %s", async (_, task) => {
    await expect(check(task)).resolves.toMatchObject({ eventType: "X" });
  });

  it("fills in what the type says, and the task's own values go first", async () => {
    expect(await check({})).toMatchObject({
      bizContext: "null",
      maxRetryCount: DEFAULT_EVENT_TYPE_SETTINGS.maxRetryCount,
      retryStrategy: DEFAULT_EVENT_TYPE_SETTINGS.strategy,
      firstRetryIntervalSeconds: DEFAULT_EVENT_TYPE_SETTINGS.firstIntervalSeconds,
      due: { delayMs: 0 },
      isDueNow: true,
    });
    expect(
      await check({ maxRetryCount: 2, retryStrategy: "FIXED", firstIntervalSeconds: 7, delayMs: 5, bizContext: [1] }),
    ).toMatchObject({ maxRetryCount: 2, retryStrategy: "FIXED", firstRetryIntervalSeconds: 7, isDueNow: false });
  });

  it("stores payload text exactly as it is given", async () => {
    const text = '{ "orderId" : 1970670598291982290 }';
    expect((await check({ bizContextText: text })).bizContext).toBe(text);
  });

  it("checks the schema against what the handler will read, not against what was passed", async () => {
    const byDate = z.object({ at: z.date() });
    const error = await refusal(check({ bizContext: { at: new Date() } }, byDate));
    expect([error.code, error.message]).toEqual(["INVALID_PAYLOAD", expect.stringContaining("at: ")]);
    await expect(check({ bizContext: { at: new Date() } }, z.object({ at: z.iso.datetime() }))).resolves.toBeDefined();
    await expect(check({ bizContextText: '{"a":1}' }, z.object({ a: z.number() }))).resolves.toBeDefined();
    expect((await refusal(check({ bizContext: { a: "1" } }, z.object({ a: z.number() })))).message).toContain("a: ");
  });
});

describe("a task that is refused at enqueue", () => {
  it("writes nothing, and the transaction goes on and commits", async () => {
    const calls = new CallLog();
    const { engine } = await scenario.start([calls.handler({ eventType: "X" })], { payloadBytesMax: LIMIT_BYTES });
    await engine.transaction(async (tx) => {
      for (const [, task, code] of BAD) {
        const given = { eventType: "X", bizKey: "refused", ...task } as EnqueueTask;
        await expect(engine.enqueue(tx, given)).rejects.toMatchObject({ code });
      }
      await expect(engine.enqueue(tx, { eventType: "NOBODY", bizKey: "k" })).rejects.toMatchObject({
        code: "UNKNOWN_EVENT_TYPE",
        message: expect.stringContaining('"NOBODY"') as string,
      });
      await tx.query("INSERT INTO business VALUES ('after refusals')");
      await engine.enqueue(tx, { eventType: "X", bizKey: "accepted" });
    });
    expect(await scenario.rows("SELECT biz_key FROM t_retry_task")).toEqual([{ biz_key: "accepted" }]);
    expect(await scenario.rows("SELECT id FROM business")).toEqual([{ id: "after refusals" }]);
  });

  it("one wrong task in a list: none of the list is written, and the message says which", async () => {
    const { engine } = await scenario.start([new CallLog().handler({ eventType: "X" })]);
    const before = await scenario.statuses("X");
    await engine.transaction(async (tx) => {
      const tasks = [
        { eventType: "X", bizKey: "many-1" },
        { eventType: "X", bizKey: "" },
      ];
      await expect(engine.enqueueMany(tx, tasks)).rejects.toMatchObject({
        code: "INVALID_BIZ_KEY",
        message: expect.stringContaining("task 1 of 2") as string,
      });
      expect(await engine.enqueueMany(tx, [])).toEqual([]);
    });
    expect(await scenario.statuses("X")).toEqual(before);
  });

  it("is told from a handle that cannot hold a transaction", async () => {
    const { engine } = await scenario.start([new CallLog().handler({ eventType: "X" })]);
    const { pool, connection } = scenario.database;
    const callback = mysqlCallback.createConnection({ ...connection });
    const before = await scenario.statuses("X");
    for (const handle of [pool, drizzle(pool), callback, undefined, null, {}]) {
      await expect(
        engine.enqueue(handle as unknown as TransactionHandle, { eventType: "X", bizKey: "no handle" }),
      ).rejects.toMatchObject({ code: "INVALID_OPTION" });
    }
    await callback.promise().end();
    expect(await scenario.statuses("X")).toEqual(before);
  });

  it("RedriveError is the base of all of them", async () => {
    await expect(check({ bizKey: "" })).rejects.toBeInstanceOf(RedriveError);
  });
});

describe("ways to enqueue", () => {
  /** The two methods over a connection, as somebody with another ORM writes them. */
  const seamOver = (connection: PoolConnection): SqlSeam => ({
    query: async (text, values) => (await connection.query(text, [...values]))[0] as Record<string, unknown>[],
    execute: async (text, values) =>
      (await connection.query(text, [...values]))[0] as { affectedRows: number; insertId: number },
  });

  it("through a hand-written seam: rows with the business write, run after afterCommit", async () => {
    const calls = new CallLog();
    const started = await scenario.start([calls.handler({ eventType: "SEAM", pollIntervalMs: 3_600_000 })]);
    const { engine } = started;
    const connection = await scenario.database.pool.getConnection();
    const seam = seamOver(connection);
    await connection.beginTransaction();
    await connection.query("INSERT INTO business VALUES ('seam')");
    const [one, two, three] = await engine.enqueueMany(seam, [
      { eventType: "SEAM", bizKey: "a", bizContext: { word: "? é 😀" } },
      { eventType: "SEAM", bizKey: "b", parentId: "9007199254740993" },
      { eventType: "SEAM", bizKey: "a" },
    ]);
    const four = await engine.enqueue(seam, { eventType: "SEAM", bizKey: "c" });
    expect(three).toMatchObject({ id: one?.id, inserted: false });
    expect(calls.calls).toEqual([]);
    await connection.commit();
    connection.release();
    await engine.afterCommit(seam);
    for (const id of [one?.id, two?.id, four.id]) {
      await started.rowWhere(id ?? "", "succeeds", (row) => row.status === "succeeded");
    }
    expect([...calls.keys].sort()).toEqual(["a", "b", "c"]);
    expect(calls.calls.find(({ bizKey }) => bizKey === "a")?.bizContext).toEqual({ word: "? é 😀" });
    expect((await scenario.row(two?.id ?? ""))?.parentId).toBe("9007199254740993");
    expect(started.of("claimed")).toEqual([]);
  });

  it("through a seam whose driver gives no id: it is read back by key", async () => {
    const calls = new CallLog();
    const started = await scenario.start([calls.handler({ eventType: "NOID" })]);
    const connection = await scenario.database.pool.getConnection();
    const plain = seamOver(connection);
    const seam = {
      ...plain,
      execute: async (text: string, values: Parameters<SqlSeam["execute"]>[1]) => ({
        affectedRows: (await plain.execute(text, values)).affectedRows,
      }),
    };
    await connection.beginTransaction();
    const { id } = await started.engine.enqueue(seam as unknown as SqlSeam, { eventType: "NOID", bizKey: "k" });
    await connection.commit();
    connection.release();
    await started.engine.afterCommit(seam as unknown as SqlSeam);
    await started.rowWhere(id, "succeeds", (row) => row.status === "succeeded");
    expect(calls.calls.map((call) => call.id)).toEqual([id]);
  });

  it("for a type that another worker has registered: pending, with that type's settings", async () => {
    await scenario.database.database.use((session) =>
      registerEventType(session, "ELSEWHERE", JSON.stringify({ maxRetryCount: 4, strategy: "FIXED" })),
    );
    const { engine } = await scenario.start([new CallLog().handler({ eventType: "X" })]);
    const verdict = await engine.transaction((tx) => engine.enqueue(tx, { eventType: "ELSEWHERE", bizKey: "k" }));
    expect(verdict).toMatchObject({ inserted: true, status: "pending" });
    expect(await scenario.row(verdict.id)).toMatchObject({
      status: "pending",
      owner: null,
      maxRetryCount: 4,
      retryStrategy: "FIXED",
    });
  });

  it("from an engine that was never started, as a service does that only creates: pending rows", async () => {
    const { pool, zone } = scenario.database;
    const handler = new CallLog().handler({ eventType: "ONLY_CREATED" });
    const engine = createEngine({ database: pool, zone: zone.name, handlers: [handler] });
    const { id } = await engine.transaction((tx) => engine.enqueue(tx, { eventType: "ONLY_CREATED", bizKey: "k" }));
    expect(await scenario.row(id)).toMatchObject({ status: "pending", owner: null, claimNo: 0 });
    await engine.stop();
    const again = await engine.transaction((tx) => engine.enqueue(tx, { eventType: "ONLY_CREATED", bizKey: "k2" }));
    expect(await scenario.row(again.id)).toMatchObject({ status: "pending", owner: null });
  });

  it("with a delay from an engine that was never started: no timer keeps its process from ending", async () => {
    const { pool, zone } = scenario.database;
    const clock = new RecordingClock();
    const handler = new CallLog().handler({ eventType: "ONLY_DELAYED" });
    const engine = createEngine({ database: pool, zone: zone.name, handlers: [handler], clock });
    await engine.transaction((tx) => engine.enqueue(tx, { eventType: "ONLY_DELAYED", bizKey: "k", delayMs: 5_000 }));
    expect(clock.waitsMs).toEqual([]);
    await engine.stop();
  });

  it("to be due later: no look at the table for that", async () => {
    const calls = new CallLog();
    const clock = new RecordingClock();
    const looks = () => clock.sleepsMs.filter((ms) => ms > 10_000).length;
    const handler = calls.handler({ eventType: "FAR", pollIntervalMs: 3_600_000 });
    const started = await scenario.start([handler], { clock });
    await waitFor("the poller to sleep", () => looks() === 1);
    for (let n = 0; n < 5; n++) {
      await started.enqueue({ eventType: "FAR", bizKey: `far ${n}`, delayMs: 7_200_000 });
      await started.enqueue({ eventType: "FAR", bizKey: `day ${n}`, runAt: new Date(Date.now() + 86_400_000) });
      await started.enqueue({ eventType: "FAR", bizKey: `half a minute ${n}`, runAt: new Date(Date.now() + 30_000) });
    }
    const { id } = await started.enqueue({ eventType: "FAR", bizKey: "soon", delayMs: 100 });
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    await waitFor("the poller to sleep again", () => looks() > 1);
    expect(looks()).toBe(2);
  });

  it("with a delay that ends while the transaction is open: runs after its commit, without waiting for the interval", async () => {
    const calls = new CallLog();
    const clock = new RecordingClock();
    const handler = calls.handler({ eventType: "LATE COMMIT", pollIntervalMs: 3_600_000 });
    const started = await scenario.start([handler], { clock });
    await waitFor("the poller to sleep", () => clock.waitsMs.some((ms) => ms > 3_000_000));
    const id = await started.engine.transaction(async (tx) => {
      const verdict = await started.engine.enqueue(tx, { eventType: "LATE COMMIT", bizKey: "k", delayMs: 50 });
      const enqueuedMs = performance.now();
      await waitFor("the delay to end", () => performance.now() - enqueuedMs > 50);
      return verdict.id;
    });
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(calls.keys).toEqual(["k"]);
  });

  it("with a delay: not before, and the poller knows of it without waiting for its interval", async () => {
    const calls = new CallLog();
    const clock = new RecordingClock();
    const handler = calls.handler({ eventType: "LATER", pollIntervalMs: 3_600_000 });
    const started = await scenario.start([handler], { clock });
    await waitFor("the poller to sleep", () => clock.waitsMs.some((ms) => ms > 3_000_000));
    const { id } = await started.enqueue({ eventType: "LATER", bizKey: "delay", delayMs: 400 });
    const at = new Date((await scenario.now()).getTime() + 600);
    const byDate = await started.enqueue({ eventType: "LATER", bizKey: "date", runAt: at });
    expect(await scenario.row(id)).toMatchObject({ status: "pending", owner: null });
    expect((await scenario.row(byDate.id))?.nextRetryTime).toEqual(at);
    for (const each of [id, byDate.id]) {
      const row = await started.rowWhere(each, "succeeds", ({ status }) => status === "succeeded");
      expect(row.startedTime?.getTime()).toBeGreaterThanOrEqual(row.nextRetryTime.getTime());
    }
    expect(calls.keys).toEqual(["delay", "date"]);
  });

  it("in a Drizzle transaction of the service, with the payload's question marks and all", async () => {
    const calls = new CallLog();
    const started = await scenario.start([calls.handler({ eventType: "DRIZZLE" })]);
    const db = drizzle(scenario.database.pool as Pool);
    const bizContext = { text: "who? what? 'quoted' \"too\" \\ ?? 😀", n: 1.5 };
    const id = await db.transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO business VALUES ('drizzle')`);
      const verdict = await started.engine.enqueue(tx, { eventType: "DRIZZLE", bizKey: "who?", bizContext });
      const [many] = await started.engine.enqueueMany(tx, [{ eventType: "DRIZZLE", bizKey: "many?" }]);
      expect(many?.inserted).toBe(true);
      return verdict.id;
    });
    await started.rowWhere(id, "succeeds or waits", (row) => ["running", "succeeded"].includes(row.status));
    expect((await scenario.row(id))?.bizContext).toBe(JSON.stringify(bizContext));
  });
});
