import mysql from "mysql2/promise";
import { createEngine, defineHandler } from "../../worker/engine/index.ts";
import { waitFor } from "../../worker/testing/wait-for.ts";
import { quantile, rounded } from "../figures.ts";
import { pause } from "../load.ts";
import { redrive } from "../contestants/redrive.ts";
import { Meter } from "../meter.ts";
import type { Solo } from "../scenario.ts";

/** Time before the first task is due, so that all are in the table by then. */
const LEAD_MS = 1_000;
/** Two poll intervals. */
const IDLE_MS = 20_000;

export const lateness: Solo = {
  name: "lateness",
  about: "from the due time of a task, at a random millisecond, to the start of its handler; and statements while idle",
  defaults: { seconds: 5, rate: 100 },
  compared: "p50Ms",
  async solo(test, { rate, seconds, concurrency }) {
    const pool = mysql.createPool({ ...test.connection, connectionLimit: 2 });
    const now = (): number => performance.timeOrigin + performance.now();
    const late: number[] = [];
    const handler = defineHandler({
      eventType: "LATER",
      concurrency,
      handle: (task) => void late.push(now() - Number(task.bizKey.split(" ")[1])),
    });
    const engine = createEngine({ database: pool, handlers: [handler] });
    await engine.start();
    const meter = new Meter(test.url, redrive);
    try {
      await pause(LEAD_MS);
      const idle = meter.read();
      await pause(IDLE_MS);
      const idleStatements = meter.read().statements - idle.statements;
      const tasks = rate * seconds;
      const firstMs = Math.ceil(now() + LEAD_MS);
      await engine.transaction((tx) =>
        engine.enqueueMany(
          tx,
          Array.from({ length: tasks }, (_, index) => {
            const dueMs = firstMs + Math.floor(Math.random() * seconds * 1_000);
            return { eventType: "LATER", bizKey: `${index} ${dueMs}`, runAt: new Date(dueMs) };
          }),
        ),
      );
      const before = meter.read();
      await waitFor("the last start", () => late.length >= tasks, (seconds + 30) * 1_000);
      return {
        p50Ms: rounded(quantile(late, 0.5)),
        p95Ms: rounded(quantile(late, 0.95)),
        p99Ms: rounded(quantile(late, 0.99)),
        ...meter.since(before, tasks),
        perSecond: null,
        idleStatementsPerSecond: rounded(idleStatements / (IDLE_MS / 1_000)),
      };
    } finally {
      await engine.stop({ graceMs: 1_000 });
      await pool.end();
      meter.close();
    }
  },
};
