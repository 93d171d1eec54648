import { drizzle } from "drizzle-orm/mysql2";
import { sql } from "drizzle-orm";
import type { Pool, PoolConnection } from "mysql2/promise";
import { beforeAll, describe, expect, it } from "vitest";
import { CallLog, Scenario } from "../testing/scenario.ts";
import { TcpProxy } from "../testing/tcp-proxy.ts";
import { Gate, waitFor } from "../testing/wait-for.ts";
import {
  type AttemptContext,
  Cancel,
  ClaimLostError,
  createEngine,
  NonRetryableError,
  RetryAfterError,
  Snooze,
} from "./index.ts";

const scenario = new Scenario();
beforeAll(() => scenario.database.pool.query("CREATE TABLE effect (id varchar(64) PRIMARY KEY, n int) ENGINE=InnoDB"));

const effects = async (key: string): Promise<number> =>
  (await scenario.rows("SELECT id FROM effect WHERE id LIKE ?", [`${key}%`])).length;

/** What another process's recycler and poller do to a task that its holder has lost. */
const takeAway = (id: string) =>
  scenario.rows("UPDATE t_retry_task SET owner = 'somebody else', claim_no = claim_no + 1 WHERE id = ?", [BigInt(id)]);

describe("how an attempt can end", () => {
  it.each<readonly [string, () => unknown, object, number | undefined]>([
    ["returns nothing", () => undefined, { status: "succeeded", retryCount: 0, finishReason: "success" }, undefined],
    ["returns an object", () => ({ ok: false }), { status: "succeeded", retryCount: 0 }, undefined],
    [
      "throws NonRetryableError",
      () => Promise.reject(new NonRetryableError("never")),
      { status: "failed", retryCount: 1, finishReason: "non_retryable" },
      undefined,
    ],
    [
      "throws RetryAfterError",
      () => Promise.reject(new RetryAfterError({ seconds: 33 })),
      { status: "pending", retryCount: 1 },
      33_000,
    ],
    [
      "throws Snooze",
      () => Promise.reject(new Snooze({ seconds: 44 })),
      { status: "pending", retryCount: 0, lastError: null },
      44_000,
    ],
    ["returns Snooze", () => new Snooze({ ms: 5_500 }), { status: "pending", retryCount: 0 }, 5_500],
    ["snoozes for a week", () => new Snooze({ seconds: 604_800 }), { status: "pending", retryCount: 0 }, 86_400_000],
    [
      "throws Cancel",
      () => Promise.reject(new Cancel()),
      { status: "cancelled", retryCount: 0, finishReason: "cancelled" },
      undefined,
    ],
    ["returns Cancel", () => new Cancel("not needed any more"), { status: "cancelled", retryCount: 0 }, undefined],
  ])("a handler that %s", async (name, body, expected, waitMs) => {
    const log = new CallLog();
    const eventType = `ENDS ${name}`;
    const started = await scenario.start([log.handler({ eventType }, body as () => undefined)]);
    const { id } = await started.enqueue({ eventType, bizKey: "k" });
    const row = await started.rowWhere(id, "has ended", ({ status, claimNo }) => status !== "running" && claimNo === 1);
    expect(row).toMatchObject(expected);
    expect(row.ip === null).toBe(row.status === "pending");
    if (waitMs !== undefined) expect(row.nextRetryTime.getTime() - row.updateTime.getTime()).toBe(waitMs);
    expect(row.finishedTime === null).toBe(row.status === "pending");
    expect(log.calls).toHaveLength(1);
  });

  it("what costs nothing costs nothing, as often as it happens", async () => {
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({ eventType: "SNOOZES", pollIntervalMs: 50, retry: { maxRetryCount: 1 } }, (task) =>
        log.count(task.bizKey) <= 5 ? new Snooze({ ms: 20 }) : undefined,
      ),
    ]);
    const { id } = await started.enqueue({ eventType: "SNOOZES", bizKey: "k" });
    const row = await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(row).toMatchObject({ retryCount: 0, claimNo: 6, recycleCount: 0 });
    expect((await scenario.history(id)).map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => "snoozed"));
  });

  it("classifyError maps what the handler throws", async () => {
    const started = await scenario.start([
      new CallLog().handler(
        {
          eventType: "CLASSIFIED",
          retry: { strategy: "FIXED", firstIntervalSeconds: 10 },
          classifyError: (error) => {
            const code = (error as { status?: number }).status;
            return code === 400 ? "fail" : code === 429 ? { retryAfter: { seconds: 77 } } : "retry";
          },
        },
        (task) => Promise.reject(Object.assign(new Error("downstream"), { status: Number(task.bizKey) })),
      ),
    ]);
    const ended = async (bizKey: string) => {
      const { id } = await started.enqueue({ eventType: "CLASSIFIED", bizKey });
      const row = await started.rowWhere(id, "has failed", ({ retryCount }) => retryCount === 1);
      return [row.status, row.nextRetryTime.getTime() - row.updateTime.getTime()];
    };
    expect((await ended("400"))[0]).toBe("failed");
    expect(await ended("429")).toEqual(["pending", 77_000]);
    expect(await ended("500")).toEqual(["pending", 10_000]);
  });
});

describe("a payload too long to come with the claim", () => {
  it("that cannot be read because the database is away: given back uncounted, run when it can be read", async () => {
    const { connection } = scenario.database;
    const proxy = await TcpProxy.start({ host: connection.host ?? "127.0.0.1", port: connection.port ?? 3306 });
    try {
      const log = new CallLog();
      const bizContext = JSON.stringify("x".repeat(100_000));
      const cut = proxy.cutOnce({ statement: /^SELECT biz_context FROM/, when: "before" });
      const started = await scenario.start(
        [log.handler({ eventType: "LONG", pollIntervalMs: 100, retry: { maxRetryCount: 1 } })],
        { connection: { ...connection, host: "127.0.0.1", port: proxy.port } },
      );
      const [id = ""] = await scenario.insert({ eventType: "LONG", bizContext, maxRetryCount: 1 });
      await cut;
      const row = await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
      expect(row).toMatchObject({ retryCount: 0, claimNo: 2, lastError: null });
      expect(log.calls.map(({ bizContextText }) => bizContextText === bizContext)).toEqual([true]);
      await scenario.stopEngines();
    } finally {
      await proxy.close();
    }
  });
});

describe("preCheckSkip", () => {
  it("true ends the task as succeeded (skipped) without a run; anything else runs it", async () => {
    const log = new CallLog();
    const asked: string[] = [];
    const started = await scenario.start([
      log.handler({
        eventType: "CHECKED",
        preCheckSkip: async (bizKey, ctx) => {
          asked.push(`${bizKey} ${ctx.attempt}`);
          return bizKey === "done" ? true : bizKey === "truthy" ? ("yes" as unknown as boolean) : false;
        },
      }),
    ]);
    const row = async (bizKey: string) => {
      const { id } = await started.enqueue({ eventType: "CHECKED", bizKey });
      return started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    };
    expect(await row("done")).toMatchObject({ finishReason: "skipped", retryCount: 0 });
    expect(await row("open")).toMatchObject({ finishReason: "success" });
    expect(await row("truthy")).toMatchObject({ finishReason: "success" });
    expect(log.keys).toEqual(["open", "truthy"]);
    expect(asked).toEqual(["done 1", "open 1", "truthy 1"]);
    await waitFor("the events", () => started.of("succeeded").length === 3);
    expect(started.of("succeeded").filter(({ isSkipped }) => isSkipped)).toHaveLength(1);
  });
});

describe("what an attempt is told", () => {
  it("the idempotency key is the same for every attempt of a task and for no other task", async () => {
    const seen: { key: string; idempotencyKey: string; attempt: number; claimNo: number }[] = [];
    const started = await scenario.start([
      new CallLog().handler({ eventType: "KEYS", pollIntervalMs: 50, retry: { maxRetryCount: 3 } }, (task, ctx) => {
        const { idempotencyKey, attempt, claimNo } = ctx;
        seen.push({ key: task.bizKey, idempotencyKey, attempt, claimNo });
        throw new RetryAfterError({ ms: 1 });
      }),
    ]);
    const ids = [];
    for (const bizKey of ["a", "b"]) ids.push((await started.enqueue({ eventType: "KEYS", bizKey })).id);
    for (const id of ids) await started.rowWhere(id, "fails", ({ status }) => status === "failed");
    for (const key of ["a", "b"]) {
      const own = seen.filter((one) => one.key === key);
      expect(own.map(({ attempt, claimNo }) => [attempt, claimNo])).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
      ]);
      expect(new Set(own.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    }
    expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
    // A key that is used again after archiving is another task with another key.
    await scenario.rows("DELETE FROM t_retry_task WHERE id = ?", [BigInt(ids[0] ?? "0")]);
    const again = await started.enqueue({ eventType: "KEYS", bizKey: "a" });
    await started.rowWhere(again.id, "fails", ({ status }) => status === "failed");
    expect(seen.at(-1)?.idempotencyKey).not.toBe(seen[0]?.idempotencyKey);
  });

  it("its trace, its parent's counts and a log that carries the task's id", async () => {
    const lines: object[] = [];
    const note = (fields: object): void => void lines.push(fields);
    const started = await scenario.start(
      [
        new CallLog().handler({ eventType: "TOLD" }, (_, ctx) => {
          ctx.log.info({ step: 1 }, "hello");
          expect(ctx.traceParent).toBe("00-abc-def-01");
        }),
      ],
      { log: { debug: note, info: note, warn: note, error: note } },
    );
    const { id } = await started.enqueue({ eventType: "TOLD", bizKey: "k", traceParent: "00-abc-def-01" });
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(lines).toContainEqual({ eventType: "TOLD", taskId: id, claimNo: 1, step: 1 });
  });
});

describe("ctx.transaction", () => {
  const write = (tx: PoolConnection, key: string) => tx.query("INSERT INTO effect VALUES (?, 1)", [key]);

  it("commits the effect and the success together, in READ COMMITTED, and no second write follows", async () => {
    const started = await scenario.start([
      new CallLog().handler({ eventType: "TX" }, (task, ctx) =>
        ctx.transaction(async (tx: PoolConnection) => {
          await write(tx, `tx-${task.bizKey}`);
          return "the answer";
        }),
      ),
    ]);
    const { id } = await started.enqueue({ eventType: "TX", bizKey: "k" });
    const row = await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(row).toMatchObject({ finishReason: "success", claimNo: 1 });
    expect(await effects("tx-")).toBe(1);
    await waitFor("its event", () => started.of("succeeded").length === 1);
    expect(started.of("stale")).toEqual([]);
  });

  it("a callback that throws rolls everything back and is a failed attempt like any other", async () => {
    const started = await scenario.start([
      new CallLog().handler({ eventType: "TX THROWS", retry: { maxRetryCount: 1 } }, (_, ctx) =>
        ctx.transaction(async (tx: PoolConnection) => {
          await write(tx, "throws");
          throw new Error("after the write");
        }),
      ),
    ]);
    const { id } = await started.enqueue({ eventType: "TX THROWS", bizKey: "k" });
    const row = await started.rowWhere(id, "fails", ({ status }) => status === "failed");
    expect(row).toMatchObject({ retryCount: 1, lastError: expect.stringContaining("after the write") as string });
    expect(await effects("throws")).toBe(0);
  });

  it("a handler that throws after its transaction has succeeded: the effect stands, nothing is retried", async () => {
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({ eventType: "TX THEN THROW", pollIntervalMs: 50 }, async (_, ctx) => {
        await ctx.transaction((tx: PoolConnection) => write(tx, "then-throw"));
        throw new Error("too late");
      }),
    ]);
    const { id } = await started.enqueue({ eventType: "TX THEN THROW", bizKey: "k" });
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    await waitFor("its event", () => started.of("succeeded").length === 1);
    expect([log.calls.length, await effects("then-throw")]).toEqual([1, 1]);
    expect(await scenario.history(id)).toEqual([]);
  });

  it("a claim that was lost: ClaimLostError, the effect is rolled back, and the ledger has an entry", async () => {
    const errors: unknown[] = [];
    const started = await scenario.start([
      new CallLog().handler({ eventType: "TX LOST" }, async (task, ctx) => {
        await takeAway(task.id);
        await ctx
          .transaction((tx: PoolConnection) => write(tx, "lost"))
          .catch((error: unknown) => {
            errors.push(error);
            throw error;
          });
      }),
    ]);
    const { id } = await started.enqueue({ eventType: "TX LOST", bizKey: "k" });
    await waitFor("the refusal", () => started.of("stale").length === 1);
    expect(errors).toMatchObject([{ code: "CLAIM_LOST" }]);
    expect(errors[0]).toBeInstanceOf(ClaimLostError);
    expect(await effects("lost")).toBe(0);
    expect(started.of("stale")).toMatchObject([{ id, claimNo: 1, tried: "success", foundStatus: "running" }]);
    const history = await scenario.history(id);
    expect(history).toMatchObject([{ kind: "stale", detail: expect.stringContaining("somebody else") as string }]);
    expect(await scenario.row(id)).toMatchObject({
      status: "running",
      owner: "somebody else",
      claimNo: 2,
      retryCount: 0,
    });
    expect(started.engine.health().pools["TX LOST"]).toMatchObject({ running: 0 });
  });

  it("a lost claim that the handler swallows is refused all the same", async () => {
    const started = await scenario.start([
      new CallLog().handler({ eventType: "TX SWALLOWS" }, async (task, ctx) => {
        await takeAway(task.id);
        await ctx.transaction((tx: PoolConnection) => write(tx, "swallows")).catch(() => undefined);
      }),
    ]);
    const { id } = await started.enqueue({ eventType: "TX SWALLOWS", bizKey: "k" });
    await waitFor("the refusal", () => started.of("stale").length === 1);
    expect(await effects("swallows")).toBe(0);
    expect(await scenario.row(id)).toMatchObject({ status: "running", claimNo: 2 });
    expect(started.of("succeeded")).toEqual([]);
  });

  it("a second one in the same attempt is refused before it writes; the first one's success stands", async () => {
    const errors: unknown[] = [];
    const started = await scenario.start([
      new CallLog().handler({ eventType: "TX TWICE" }, async (_, ctx) => {
        await ctx.transaction((tx: PoolConnection) => write(tx, "twice-1"));
        await ctx
          .transaction((tx: PoolConnection) => write(tx, "twice-2"))
          .catch((error: unknown) => errors.push(error));
      }),
    ]);
    const { id } = await started.enqueue({ eventType: "TX TWICE", bizKey: "k" });
    await waitFor("its event", () => started.of("succeeded").length === 1);
    expect(errors).toMatchObject([{ code: "ENGINE_STATE", message: expect.stringContaining(id) as string }]);
    expect(await effects("twice-")).toBe(1);
    expect(started.of("stale")).toEqual([]);
  });

  it("two at the same time in one attempt: one effect, one success", async () => {
    const started = await scenario.start([
      new CallLog().handler({ eventType: "TX BOTH" }, async (_, ctx) => {
        await Promise.allSettled(
          ["both-1", "both-2"].map((key) => ctx.transaction((tx: PoolConnection) => write(tx, key))),
        );
      }),
    ]);
    await started.enqueue({ eventType: "TX BOTH", bizKey: "k" });
    await waitFor("its event", () => started.of("succeeded").length === 1);
    expect(await effects("both-")).toBe(1);
  });

  it("is not begun any more after the time limit", async () => {
    const gate = new Gate();
    const errors: unknown[] = [];
    const started = await scenario.start([
      new CallLog().handler({ eventType: "TX LATE", timeLimitMs: 50, retry: { maxRetryCount: 1 } }, async (_, ctx) => {
        await gate.opened;
        await ctx.transaction((tx: PoolConnection) => write(tx, "late")).catch((error: unknown) => errors.push(error));
      }),
    ]);
    const { id } = await started.enqueue({ eventType: "TX LATE", bizKey: "k" });
    await started.rowWhere(id, "fails", ({ status }) => status === "failed");
    gate.open();
    await waitFor("the late handler to be refused", () => errors.length === 1);
    expect(errors).toMatchObject([{ message: expect.stringContaining("time limit") as string }]);
    expect(await effects("late")).toBe(0);
  });

  it("one that is under way at the time limit: either its effect and success stand, or neither", async () => {
    const gate = new Gate();
    const ended: string[] = [];
    const started = await scenario.start([
      new CallLog().handler({ eventType: "TX RACE", timeLimitMs: 50, retry: { maxRetryCount: 1 } }, async (_, ctx) => {
        await ctx
          .transaction(async (tx: PoolConnection) => {
            await write(tx, "race");
            await gate.opened;
          })
          .then(
            () => ended.push("committed"),
            () => ended.push("refused"),
          );
      }),
    ]);
    const { id } = await started.enqueue({ eventType: "TX RACE", bizKey: "k" });
    await started.rowWhere(id, "fails", ({ status }) => status === "failed");
    gate.open();
    await waitFor("the transaction to end", () => ended.length === 1);
    expect(ended).toEqual(["refused"]);
    expect(await effects("race")).toBe(0);
    expect(await scenario.row(id)).toMatchObject({ status: "failed", retryCount: 1 });
  });

  it("what it enqueues runs right after its commit, and not at all if it is rolled back", async () => {
    const log = new CallLog();
    const parent = (isUndone: boolean) => async (task: { bizKey: string; id: string }, ctx: AttemptContext) => {
      await ctx.transaction(async (tx: PoolConnection) => {
        await started.engine.enqueue(tx, { eventType: "CHILD", bizKey: `of ${task.bizKey}`, parentId: task.id });
        if (isUndone) throw new Error("undo");
      });
    };
    const started = await scenario.start([
      new CallLog().handler({ eventType: "PARENT" }, parent(false)),
      new CallLog().handler({ eventType: "UNDONE", retry: { maxRetryCount: 1 } }, parent(true)),
      log.handler({ eventType: "CHILD", concurrency: 1, queueSize: 0, pollIntervalMs: 3_600_000 }),
    ]);
    const undone = await started.enqueue({ eventType: "UNDONE", bizKey: "undone" });
    await started.rowWhere(undone.id, "fails", ({ status }) => status === "failed");
    const { id } = await started.enqueue({ eventType: "PARENT", bizKey: "parent" });
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    await waitFor("the child to run", () => log.calls.length === 1);
    expect(log.keys).toEqual(["of parent"]);
    expect(started.of("started").filter(({ eventType }) => eventType === "CHILD")).toMatchObject([{ isEager: true }]);
  });

  it("with a Drizzle database it gives a Drizzle transaction, savepoints and lost claims included", async () => {
    const { pool, zone } = scenario.database;
    const log = new CallLog();
    const engine = createEngine({
      database: drizzle(pool as Pool),
      zone: zone.name,
      handlers: [
        log.handler({ eventType: "TX DRIZZLE" }, async (task, ctx) => {
          if (task.bizKey === "lost") await takeAway(task.id);
          await ctx.transaction(async (tx) => {
            await tx.execute(sql`INSERT INTO effect VALUES (${`drizzle-${task.bizKey}`}, 1)`);
            await tx
              .transaction(async (inner) => {
                await inner.execute(sql`INSERT INTO effect VALUES (${`drizzle-inner-${task.bizKey}`}, 1)`);
                throw new Error("undo the inner part");
              })
              .catch(() => undefined);
          });
        }),
      ],
    });
    const stale: string[] = [];
    engine.on("stale", ({ id }) => stale.push(id));
    await engine.start();
    try {
      const enqueue = (bizKey: string) =>
        engine.transaction((tx) => engine.enqueue(tx, { eventType: "TX DRIZZLE", bizKey }));
      const { id } = await enqueue("kept");
      await waitFor("it to succeed", async () => (await scenario.row(id))?.status === "succeeded");
      const lost = await enqueue("lost");
      await waitFor("the refusal", () => stale.includes(lost.id));
      const rows = await scenario.rows<{ id: string }>("SELECT id FROM effect WHERE id LIKE 'drizzle-%'");
      expect(rows).toEqual([{ id: "drizzle-kept" }]);
    } finally {
      await engine.stop();
    }
  });
});
