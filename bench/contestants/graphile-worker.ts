import type { Contestant } from "../contestant.ts";
import { payloadOf } from "../payload.ts";
import { loadPeer } from "../peers/load.ts";
import { enterPostgres, poolOf } from "./postgres-store.ts";

/*
 * graphile-worker with the batching that its manual describes: a local queue of four times the concurrency, completions
 * written in batches without a further wait; LISTEN/NOTIFY as always. It deletes jobs that have ended.
 */

const TASK = "bench";
const PRELOAD_ROWS = 1_000;
const POOL_MAX = 60;

interface Job {
  readonly identifier: string;
  readonly payload: object;
}

interface Utils {
  migrate(): Promise<void>;
  addJob(identifier: string, payload: object): Promise<unknown>;
  addJobs(jobs: readonly Job[]): Promise<unknown>;
  release(): Promise<void>;
}

interface GraphileModule {
  readonly Logger: new (factory: () => (level: string, message: string) => void) => object;
  makeWorkerUtils(options: object): Promise<Utils>;
  run(options: object): Promise<{ stop(): Promise<void> }>;
}

export const graphileWorker: Contestant = {
  name: "graphile-worker",
  modes: ["enqueue", "enqueue-many", "eager", "drain"],
  server: "postgres",
  enter: (server) =>
    enterPostgres(server, {
      table: "graphile_worker._private_jobs",
      setUp: async (url) => {
        await withUtils(url, (utils) => utils.migrate());
      },
      preload: async (url, from, count) => {
        await withUtils(url, async (utils) => {
          for (let start = from; start < from + count; start += PRELOAD_ROWS) {
            const rows = Math.min(PRELOAD_ROWS, from + count - start);
            await utils.addJobs(Array.from({ length: rows }, (_, index) => jobOf(start + index)));
          }
        });
      },
      countOpen: "SELECT count(*) AS count FROM graphile_worker._private_jobs",
    }),
  async open(store, { mode, concurrency, connections, onTask }) {
    const graphile = await loadPeer<GraphileModule>("graphile-worker");
    const producers = await poolOf(store, connections);
    const workers = await poolOf(store, Math.min(POOL_MAX, Math.max(10, concurrency + 2)));
    const producer = await graphile.makeWorkerUtils({ pgPool: producers, logger: loggerOf(graphile) });
    const start = () =>
      graphile.run({
        taskList: { [TASK]: async (payload: { readonly seq: number }) => onTask(payload.seq) },
        noHandleSignals: true,
        crontab: "",
        logger: loggerOf(graphile),
        pgPool: workers,
        preset: {
          worker: {
            concurrentJobs: concurrency,
            localQueue: { size: concurrency * 4 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      });
    let runner = mode === "eager" ? await start() : undefined;
    return {
      enqueue: async (seq) => void (await producer.addJob(TASK, payloadOf(seq))),
      enqueueMany: async (seqs) => void (await producer.addJobs(seqs.map(jobOf))),
      work: async () => {
        runner = await start();
      },
      close: async () => {
        await Promise.all([producer.release(), runner?.stop()]);
        await Promise.all([producers.end(), workers.end()]);
      },
    };
  },
};

async function withUtils(store: string, work: (utils: Utils) => Promise<void>): Promise<void> {
  const graphile = await loadPeer<GraphileModule>("graphile-worker");
  const pgPool = await poolOf(store, 1);
  const utils = await graphile.makeWorkerUtils({ pgPool, logger: loggerOf(graphile) });
  await work(utils);
  await utils.release();
  await pgPool.end();
}

function loggerOf({ Logger }: GraphileModule): object {
  return new Logger(() => (level, message) => {
    if (level === "error") console.error(`graphile-worker: ${message}`);
  });
}

function jobOf(seq: number): Job {
  return { identifier: TASK, payload: payloadOf(seq) };
}
