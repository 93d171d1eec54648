import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import { waitFor } from "../../worker/testing/wait-for.ts";
import { insertPendingRows } from "../contestants/task-table.ts";
import { quantile, rounded } from "../figures.ts";
import { pause } from "../load.ts";
import type { Solo } from "../scenario.ts";
import { residentMb } from "../server-process.ts";

const RUN = fileURLToPath(new URL("../../scripts/run.mjs", import.meta.url));
const HANDLERS = fileURLToPath(new URL("./memory-handlers.mjs", import.meta.url));

export const memory: Solo = {
  name: "memory",
  about:
    "resident memory of a worker process as `npm run worker` starts it: --concurrency run, --tasks more are pending",
  defaults: { concurrency: 1_000, tasks: 100_000, seconds: 120 },
  compared: "lastMb",
  async solo(test, { concurrency, tasks, seconds }) {
    await insertPendingRows(test, 1, concurrency + tasks);
    const worker = startWorker(test, concurrency);
    try {
      const pid = worker.pid ?? 0;
      await waitFor("all to run", async () => (await countOf(test, 3)) >= concurrency, 120_000);
      const atStart = residentMb(pid);
      const before = await countOf(test, 1);
      const samples: number[] = [];
      for (let second = 0; second < seconds; second++) {
        await pause(1_000);
        samples.push(residentMb(pid));
      }
      const quarter = Math.ceil(samples.length / 4);
      const first = quantile(samples.slice(0, quarter), 0.5);
      const last = quantile(samples.slice(-quarter), 0.5);
      return {
        startMb: rounded(atStart),
        firstMb: rounded(first),
        lastMb: rounded(last),
        greatestMb: rounded(Math.max(atStart, ...samples)),
        lastToFirst: rounded(last / first),
        running: await countOf(test, 3),
        pending: await countOf(test, 0),
        perSecond: rounded(((await countOf(test, 1)) - before) / seconds),
      };
    } finally {
      await end(worker);
    }
  },
};

function startWorker(test: TestDatabase, concurrency: number): ChildProcess {
  return spawn(process.execPath, [RUN, "worker/main"], {
    env: {
      PATH: process.env["PATH"],
      NODE_ENV: "production",
      DATABASE_URL: test.url,
      REDRIVE_HANDLERS: HANDLERS,
      REDRIVE_ZONE: test.zone.name,
      REDRIVE_GRACE_MS: "0",
      WORKER_PORT: "0",
      LOG_LEVEL: "warn",
      BENCH_CONCURRENCY: String(concurrency),
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function end(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, "exit");
  worker.kill("SIGKILL");
  await ended;
}

async function countOf(test: TestDatabase, status: number): Promise<number> {
  const [rows] = await test.pool.query(
    `SELECT COUNT(*) AS count FROM t_retry_task WHERE event_type = 'BENCH' AND status = ${status}`,
  );
  return Number((rows as { count: number }[])[0]?.count);
}
