import mysql from "mysql2/promise";
import { createEngine, defineHandler } from "../../worker/engine/index.ts";
import { insertDueTasks } from "../../worker/testing/task-facts.ts";
import { waitFor } from "../../worker/testing/wait-for.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import { quantile, rounded } from "../figures.ts";
import { atRate } from "../load.ts";
import type { Settings, Solo } from "../scenario.ts";

const FLOOD = 5_000;

export const isolation: Solo = {
  name: "isolation",
  about: `one type's latency alone, and beside another whose handlers hang while ${FLOOD} more of its tasks are due`,
  defaults: { seconds: 5, rate: 50 },
  compared: "floodedP99Ms",
  async solo(test, settings) {
    const alone = await latencies(test, settings, 1);
    await insertDueTasks(test, "FLOOD", FLOOD);
    const flooded = await latencies(test, settings, 2);
    return {
      aloneP50Ms: alone.p50,
      aloneP99Ms: alone.p99,
      floodedP50Ms: flooded.p50,
      floodedP99Ms: flooded.p99,
    };
  },
};

/** From the call of enqueue to the start of the handler, the transaction included: that is where a flood would show. */
async function latencies(
  test: TestDatabase,
  { seconds, rate, producers, concurrency }: Settings,
  run: number,
): Promise<{ p50: number; p99: number }> {
  const pool = mysql.createPool({ ...test.connection, connectionLimit: producers });
  const startedMs = new Map<string, number>();
  const handlers = [
    defineHandler({
      eventType: "CALM",
      concurrency,
      handle: (task) => void startedMs.set(task.bizKey, performance.now()),
    }),
    defineHandler({ eventType: "FLOOD", concurrency, handle: (_task, ctx) => untilAborted(ctx.signal) }),
  ];
  const engine = createEngine({ database: pool, handlers });
  await engine.start();
  try {
    const calledMs = new Map<string, number>();
    const tasks = Math.round(rate * seconds);
    const enqueue = async (index: number): Promise<void> => {
      const bizKey = `${run}-${index}`;
      calledMs.set(bizKey, performance.now());
      await engine.transaction((tx) => engine.enqueue(tx, { eventType: "CALM", bizKey }));
    };
    await atRate(rate, rate, (index) => enqueue(-1 - index));
    startedMs.clear();
    calledMs.clear();
    await atRate(rate, tasks, enqueue);
    await waitFor("the last start", () => startedMs.size >= tasks);
    const waits = [...calledMs].map(([key, atMs]) => (startedMs.get(key) ?? Number.NaN) - atMs);
    return { p50: rounded(quantile(waits, 0.5)), p99: rounded(quantile(waits, 0.99)) };
  } finally {
    await engine.stop({ graceMs: 0 });
    await pool.end();
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
