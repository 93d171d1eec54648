import mysql, { type ResultSetHeader } from "mysql2/promise";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import { type CrashPoint, onCrashPoint } from "../../db/crash-points.ts";
import { createEngine } from "../engine/index.ts";
import type { Outcome, Scene } from "./crash-cases.ts";
import { CallLedger, crashHandler, CRASH_TYPE } from "./crash-handler.ts";

// A process that plays a scene and dies at the named step, as if its power were cut there. Its one argument is JSON.

export interface CrashChildConfig {
  readonly url: string;
  readonly zone: string;
  readonly ledger: string;
  readonly point: CrashPoint;
  readonly scene: Scene;
  readonly outcomes: readonly Outcome[];
}

const config = JSON.parse(process.argv[2] ?? "{}") as CrashChildConfig;
const { scene, point, outcomes } = config;
/** Scenes in which tasks must first be where they are to be when the process dies. */
const HELD: readonly Scene[] = ["hold", "stop", "abort"];
let isArmed = !HELD.includes(scene);
let openGate: () => void = () => undefined;
const gate = new Promise<void>((resolve) => {
  openGate = resolve;
});

onCrashPoint((passed) => {
  if (passed === point && isArmed) process.kill(process.pid, "SIGKILL");
  // What runs at a shutdown ends once everything that has not begun was given back.
  if (passed === "shutdown.returned") openGate();
});

const pool = mysql.createPool(parseDatabaseUrl(config.url));
const ledger = new CallLedger(config.ledger);
const engine = createEngine({
  database: pool,
  zone: config.zone,
  handlers: [
    crashHandler({
      ledger,
      doomed: {
        steal: async (id) => {
          // As a recycler would that took this process for dead; due only once the next process is there.
          await pool.query(
            "UPDATE t_retry_task SET status = 0, owner = NULL, recycle_count = recycle_count + 1, next_retry_time = TIMESTAMPADD(HOUR, 1, next_retry_time) WHERE id = ?",
            [id],
          );
        },
        hold: async (bizKey) => {
          if (scene === "hold") isArmed = true;
          if (scene === "hold" || (scene === "stop" && bizKey === "success")) await gate;
        },
      },
    }),
  ],
  poll: scene !== "wake" && scene !== "create",
  beatIntervalMs: 200,
  recycleIntervalMs: 100,
  // A success that is not yet written when the shutdown has waited for its handler.
  completionDelayMs: scene === "stop" ? 100 : 3,
});
await engine.start();

async function create(keys: readonly string[]): Promise<void> {
  await engine.transaction(async (tx) => {
    await tx.query("INSERT INTO business (name) VALUES ('crash')");
    const verdicts = await engine.enqueueMany(
      tx,
      keys.map((bizKey) => ({ eventType: CRASH_TYPE, bizKey })),
    );
    if (scene === "stop" && !verdicts.every(({ status }) => status === "running"))
      throw new Error("no place in the queue");
  });
}

const ends = (count: number): Promise<void> =>
  new Promise((resolve) => {
    let left = count;
    engine.on("succeeded", () => {
      if (--left === 0) resolve();
    });
  });

switch (scene) {
  case "create":
    await create(outcomes);
    break;
  case "wake": {
    const [rows] = await pool.query("SELECT CAST(id AS CHAR) AS id FROM t_retry_task");
    await engine.wake((rows as { id: string }[]).map(({ id }) => id));
    break;
  }
  case "forgotten":
    for (const bizKey of outcomes) {
      await pool.query<ResultSetHeader>(
        `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time,
          owner, claim_no, update_time) SELECT ?, ?, 'null', 3, 5, 'FIXED', 1, beat_time - INTERVAL 1 HOUR, owner, 1, beat_time - INTERVAL 1 HOUR
          FROM t_retry_worker WHERE owner = ?`,
        [CRASH_TYPE, bizKey, engine.owner],
      );
    }
    break;
  case "stop": {
    // Quick runs open the queue.
    const warm = Array.from({ length: 20 }, (_, index) => `warm-${index}`);
    const warmed = ends(warm.length);
    for (const key of warm) await create([key]).catch(() => create([key]));
    await warmed;
    await create(outcomes);
    isArmed = true;
    await engine.stop({ graceMs: 20_000 });
    break;
  }
  case "abort":
    await create(outcomes);
    isArmed = true;
    await engine.stop({ graceMs: 50 });
    break;
  default:
}
setInterval(() => undefined, 60_000);
