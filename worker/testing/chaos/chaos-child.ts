import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import mysql, { type PoolConnection } from "mysql2/promise";
import { Database } from "../../../db/client.ts";
import { parseDatabaseUrl } from "../../../db/connection-options.ts";
import { ArchivePace } from "../../duties/archive-pace.ts";
import { Archiver } from "../../duties/archiver.ts";
import { BulkRunner } from "../../duties/bulk-runner.ts";
import { systemClock } from "../../engine/clock.ts";
import { EngineEvents } from "../../engine/events.ts";
import {
  type AttemptContext,
  createEngine,
  defineHandler,
  type EngineEventMap,
  NonRetryableError,
  type Task,
} from "../../engine/index.ts";
import { silentLogger } from "../../engine/logger.ts";
import { type ChaosChildConfig, type ChaosCommand, CHAOS_TYPES, type ChaosType, TASKS_EACH_MAX } from "./setting.ts";
import { LedgerClient } from "./ledger.ts";

// One process of a chaos run: a worker with its duties, or a service that creates tasks. CONFIG (JSON) is its argument;
// commands come from stdin as JSON lines. It ends by itself after SIGTERM.

const config = JSON.parse(process.argv[2] ?? "{}") as ChaosChildConfig;
const ledger = new LedgerClient(config.ledgerPort);
const RealDate = Date;
let stepMs = 0;
globalThis.Date = class extends RealDate {
  constructor(...args: []) {
    if (args.length === 0) super(RealDate.now() + stepMs);
    else super(...args);
  }
  static override now(): number {
    return RealDate.now() + stepMs;
  }
} as DateConstructor;

const pool = mysql.createPool({ ...parseDatabaseUrl(config.url), connectionLimit: 8, connectTimeout: 2_000 });
// The locks of a service that vanished in the middle of a transaction are not to stay for eight hours.
pool.pool.on("connection", (connection) => connection.query("SET SESSION wait_timeout = 6", () => undefined));

const engine = createEngine({
  database: pool,
  connection: parseDatabaseUrl(config.url),
  handlers: Object.keys(CHAOS_TYPES).map((eventType) => handlerOf(eventType as ChaosType)),
  beatIntervalMs: 300,
  deadAfterMs: 2_000,
  recycleIntervalMs: 300,
  syncIntervalMs: 500,
});
engine.on("started", ({ id, claimNo, isEager }: EngineEventMap["started"]) => {
  if (isEager && claimNo !== 1) broken(7, `claim ${claimNo} of task ${id} was run eagerly`);
});
engine.on("claimed", ({ count, limit }) => {
  if (count > limit) broken(9, `${count} tasks claimed at once, ${limit} wanted`);
});

function broken(law: number, what: string): void {
  void ledger.note({ kind: "broken", law, what });
}

function handlerOf(eventType: ChaosType) {
  return defineHandler({
    eventType,
    concurrency: 6,
    pollIntervalMs: 500,
    timeLimitMs: 600_000,
    maxRecycles: 100,
    retry: { strategy: "FIXED", firstIntervalSeconds: 1, maxRetryCount: eventType === "OWN" ? 100 : 3 },
    retention: { liveKeptSeconds: CHAOS_TYPES[eventType].isArchived ? 1 : "forever" },
    handle: async (task, ctx) => {
      const { id, claimNo, retryCount } = task;
      await ledger.note({ kind: "call", id, eventType, claimNo, retryCount, owner: engine.owner });
      let hasThrown = false;
      try {
        await work(eventType, task, ctx);
      } catch (error) {
        hasThrown = true;
        throw error;
      } finally {
        await ledger.note({ kind: "end", id, claimNo, hasThrown });
      }
    },
  });
}

async function work(eventType: ChaosType, task: Task, ctx: AttemptContext): Promise<void> {
  switch (eventType) {
    case "PLAIN":
      await sleep(Math.random() * 20);
      return;
    case "SLOW":
      await sleep(200 + Math.random() * 800, undefined, { signal: ctx.signal });
      return;
    case "FLAKY":
      await sleep(Math.random() * 20);
      if (Math.random() < 0.5) throw new Error("fails now and then");
      return;
    case "BAD":
      if (Math.random() < 0.7) throw new NonRetryableError("fails until somebody resets it, and often after");
      return;
    case "OWN":
      await ctx.transaction(async (tx: PoolConnection) => {
        await tx.query("INSERT INTO effect (task_id, claim_no) VALUES (?, ?)", [BigInt(task.id), task.claimNo]);
        await sleep(Math.random() * 50);
      });
      return;
    case "STUCK":
      while (!existsSync(config.gate)) {
        ctx.signal.throwIfAborted();
        await sleep(100);
      }
  }
}

/** Business transactions with their tasks, each under a name that says how many there are. */
let isCreating = config.perSecond > 0;
async function create(): Promise<void> {
  const types = Object.keys(CHAOS_TYPES) as ChaosType[];
  const shares = types.flatMap((type) => Array.from({ length: CHAOS_TYPES[type].share }, () => type));
  for (let index = 0; isCreating; index++) {
    await sleep(1_000 / config.perSecond);
    // A successor begins to count anew, and the keys of the one before may be in the archive by then.
    void transaction(`${config.name}-${process.pid}-${index}`, shares, index === 0 ? "STUCK" : undefined);
  }
}

let open = 0;
async function transaction(base: string, shares: readonly ChaosType[], first: ChaosType | undefined): Promise<void> {
  if (open >= 8) return;
  open++;
  const count = 1 + Math.floor(Math.random() * TASKS_EACH_MAX);
  const name = `${base}:${count}`;
  try {
    await engine.transaction(async (tx) => {
      await tx.query("INSERT INTO business (name) VALUES (?)", [name]);
      const tasks = Array.from({ length: count }, (_, part) => ({
        eventType: first ?? shares[Math.floor(Math.random() * shares.length)] ?? "PLAIN",
        bizKey: `${name}/${part}`,
      }));
      await engine.enqueueMany(tx, tasks);
    });
    await ledger.note({ kind: "told", name });
  } catch (error) {
    const { errno, code } = error as { errno?: number; code?: string };
    await ledger.note({ kind: "error", code: String(errno ?? code ?? (error as Error).message) });
  } finally {
    open--;
  }
}

const duties = config.perSecond > 0 ? [] : createDuties();
function createDuties() {
  const database = new Database({ connection: parseDatabaseUrl(config.url) });
  const parts = {
    database,
    owner: engine.owner,
    clock: systemClock,
    events: new EngineEvents(),
    log: silentLogger,
  };
  const pace = new ArchivePace({ rowsPerSecond: 0, brakes: [], clock: systemClock });
  return [new Archiver({ ...parts, pace }), new BulkRunner(parts)];
}

async function obey(command: ChaosCommand): Promise<void> {
  switch (command.do) {
    case "block": {
      const until = performance.now() + command.ms;
      while (performance.now() < until);
      return;
    }
    case "clock":
      stepMs = command.ms;
      return;
    case "fillPool": {
      const hold = async () => pool.query("DO SLEEP(?)", [command.ms / 1_000]);
      await Promise.allSettled(Array.from({ length: 8 }, hold));
      return;
    }
    case "stopCreating":
      isCreating = false;
      return;
    case "memory":
      process.stdout.write(`memory ${process.memoryUsage().rss}\n`);
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => void obey(JSON.parse(line) as ChaosCommand));
process.once("SIGTERM", () => {
  isCreating = false;
  void (async () => {
    await Promise.all(duties.map((duty) => duty.stop()));
    await engine.stop({ graceMs: 1_000 });
    await pool.end();
    ledger.end();
    lines.close();
    process.stdin.unref();
    // A handler that waits for its gate would keep the process, as one that does not listen keeps any.
    process.exit(0);
  })();
});

for (;;) {
  try {
    await engine.start();
    break;
  } catch {
    // A service that starts in the middle of an outage is started again by its supervisor.
    await sleep(300);
  }
}
for (const duty of duties) duty.start();
process.stdout.write(`ready ${engine.owner}\n`);
void create();
