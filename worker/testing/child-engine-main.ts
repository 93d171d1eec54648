import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createInterface } from "node:readline";
import mysql, { type PoolConnection, type RowDataPacket } from "mysql2/promise";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import { createEngine, defineHandler, type AttemptContext, type EnqueueTask, type Task } from "../engine/index.ts";
import type { ChildConfig, ChildType, LoadRequest, LoadResult, Step } from "./child-engine.ts";
import { EVENT_NAMES } from "./test-engine.ts";

// A process that runs one engine as CHILD_ENGINE (JSON) says. Everything it sees goes to stdout as JSON lines; commands
// come from stdin as JSON lines. After `stop` or SIGTERM it ends by itself: nothing calls exit.

const config = JSON.parse(process.env["CHILD_ENGINE"] ?? "{}") as ChildConfig;
const quiet = new Set(config.quiet ?? []);

/** CLOCK_MONOTONIC is one clock for all processes of a machine. */
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const pool = mysql.createPool({
  ...parseDatabaseUrl(config.serviceUrl ?? config.url),
  connectionLimit: config.serviceConnections ?? 10,
  ...(config.serviceConnectTimeoutMs === undefined ? {} : { connectTimeout: config.serviceConnectTimeoutMs }),
});
const engine = createEngine({
  ...config.engine,
  database: pool,
  connection: parseDatabaseUrl(config.url),
  handlers: config.types.map(handlerOf),
});
for (const name of EVENT_NAMES) {
  if (quiet.has(name)) continue;
  engine.on(name, (event) => {
    const shown: Record<string, unknown> = { ...event };
    if ("error" in shown && typeof shown["error"] !== "string") shown["error"] = describeError(shown["error"]);
    say({ kind: "event", name, at: nowMs(), ...shown });
  });
}

function describeError(error: unknown): object {
  const { message, code, errno } = error as { message?: string; code?: string; errno?: number };
  return { message: message ?? String(error), code, errno };
}

function handlerOf(type: ChildType) {
  const { steps: ofType = [], keys = {}, ...options } = type;
  return defineHandler({
    ...options,
    handle: async (task: Task, ctx) => {
      const call = {
        kind: "call",
        id: task.id,
        eventType: task.eventType,
        bizKey: task.bizKey,
        claimNo: task.claimNo,
        retryCount: task.retryCount,
        recycleCount: task.recycleCount,
        pid: process.pid,
      };
      const isQuiet = quiet.has("call");
      if (!isQuiet) say({ ...call, phase: "start", at: nowMs() });
      ctx.signal.addEventListener("abort", () => {
        say({ ...call, phase: "abort", at: nowMs(), reason: String((ctx.signal.reason as Error).message) });
      });
      let outcome = "returned";
      try {
        const own = (task.bizContext as { steps?: Step[] } | null)?.steps;
        for (const step of keys[task.bizKey] ?? own ?? ofType) await perform(step, task, ctx);
      } catch (error) {
        outcome = "threw";
        throw error;
      } finally {
        if (!isQuiet) say({ ...call, phase: "end", at: nowMs(), outcome });
      }
    },
  });
}

async function perform(step: Step, task: Task, ctx: AttemptContext): Promise<void> {
  switch (step.do) {
    case "sleep":
      await sleep(step.ms);
      return;
    case "fail":
      throw new Error(step.message ?? "failed on purpose");
    case "failOnce":
      if (task.retryCount === 0) throw new Error("fails the first time");
      return;
    case "hang":
      await new Promise(() => undefined);
      return;
    case "exit":
      process.exit(step.code ?? 1);
      return;
    case "block": {
      const until = nowMs() + step.ms;
      while (nowMs() < until);
      return;
    }
    case "gate":
      while (!existsSync(step.file)) await sleep(10);
      return;
    case "untilAborted":
      await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve(), { once: true }));
      return;
    case "strayRejection":
      void (async () => {
        while (!existsSync(step.file)) await sleep(10);
        throw new Error("nobody awaits this");
      })();
      return;
    case "serviceConnection": {
      const connection = await pool.getConnection();
      try {
        await connection.query("DO SLEEP(?)", [step.ms / 1_000]);
      } finally {
        connection.release();
      }
      return;
    }
    case "serviceQuery":
      await pool.query({ sql: "SELECT 1", timeout: 2_000 });
      return;
    case "transaction":
      await ctx.transaction(async (tx: PoolConnection) => {
        await tx.query("INSERT INTO effect (task_id, claim_no) VALUES (?, ?)", [task.id, task.claimNo]);
        if (step.ms !== undefined) await sleep(step.ms);
      });
  }
}

/** Transactions as a service makes them: a business row and tasks each, so many at once. */
async function load(request: LoadRequest): Promise<LoadResult> {
  const errors: Record<string, number> = {};
  let committed = 0;
  let tasks = 0;
  let next = 0;
  let slowestMs = 0;
  const startedMs = nowMs();
  const create = async (): Promise<void> => {
    for (let index = next++; index < request.transactions; index = next++) {
      const many: EnqueueTask[] = Array.from({ length: request.tasksEach }, (_, part) => ({
        eventType: request.eventTypes[(index + part) % request.eventTypes.length] ?? "",
        bizKey: `${request.prefix}-${index}-${part}`,
        bizContext: request.steps ? { steps: request.steps } : null,
      }));
      const dueMs = request.perSecond === undefined ? 0 : startedMs + (index * 1_000) / request.perSecond - nowMs();
      if (dueMs > 0) await sleep(dueMs);
      const beganMs = nowMs();
      try {
        await engine.transaction(async (tx) => {
          await tx.query("INSERT INTO business (name) VALUES (?)", [`${request.prefix}-${index}`]);
          await engine.enqueueMany(tx, many);
        });
        committed++;
        tasks += many.length;
      } catch (error) {
        const { errno, code } = error as { errno?: number; code?: string };
        const name = String(errno ?? code ?? (error as Error).message);
        errors[name] = (errors[name] ?? 0) + 1;
      }
      slowestMs = Math.max(slowestMs, nowMs() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: request.atOnce }, create));
  return { committed, tasks, errors, slowestMs, ms: nowMs() - startedMs };
}

async function answer(command: string, input: unknown): Promise<unknown> {
  switch (command) {
    case "enqueue": {
      const tasks = input as EnqueueTask[];
      return engine.transaction((tx) => engine.enqueueMany(tx, tasks));
    }
    case "load":
      return load(input as LoadRequest);
    case "health":
      return engine.health();
    case "servicePool": {
      const [rows] = await pool.query<RowDataPacket[]>("SELECT 1 AS one");
      const { _allConnections: all, _freeConnections: free } = pool.pool as unknown as Record<
        "_allConnections" | "_freeConnections",
        { length: number }
      >;
      return { works: rows.length === 1, all: all.length, free: free.length };
    }
    case "resources": {
      globalThis.gc?.();
      globalThis.gc?.();
      return { heapBytes: process.memoryUsage().heapUsed, active: process.getActiveResourcesInfo() };
    }
    case "stop":
      return stop((input as { graceMs?: number }).graceMs);
    default:
      throw new Error(`unknown command ${command}`);
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { n, command, input } = JSON.parse(line) as { n: number; command: string; input: unknown };
  answer(command, input).then(
    (value) => say({ kind: "reply", n, value: value ?? null, at: nowMs() }),
    (error: unknown) => say({ kind: "reply", n, error: describeError(error), at: nowMs() }),
  );
});

let stopping: Promise<unknown> | undefined;
function stop(graceMs = 30_000): Promise<unknown> {
  stopping ??= (async () => {
    const report = await engine.stop({ graceMs });
    const active = process.getActiveResourcesInfo();
    await pool.end();
    lines.close();
    process.stdin.unref();
    say({ kind: "stopped", report, active, at: nowMs() });
    return report;
  })();
  return stopping;
}
process.on("SIGTERM", () => {
  say({ kind: "signalled", at: nowMs() });
  stop(config.graceMs).catch((error: unknown) => say({ kind: "stopFailed", error: describeError(error), at: nowMs() }));
});

await engine.start();
say({ kind: "ready", owner: engine.owner, pid: process.pid, at: nowMs() });
