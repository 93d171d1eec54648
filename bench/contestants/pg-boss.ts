import type { Contestant } from "../contestant.ts";
import { payloadOf } from "../payload.ts";
import { loadPeer } from "../peers/load.ts";
import { enterPostgres } from "./postgres-store.ts";

/*
 * pg-boss with its fastest documented settings: workers are woken by LISTEN/NOTIFY, two of them take half of the
 * concurrency a fetch each, and fetch at once while the batches are full (its defaults are one job a fetch every 2 s).
 */

const QUEUE = "bench";
const LOCAL_WORKERS = 2;
const PRELOAD_ROWS = 1_000;
const BYSTANDER = { supervise: false, schedule: false };

interface Boss {
  on(event: "error", listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(options: { readonly graceful: boolean }): Promise<void>;
  createQueue(name: string, options: { readonly notify: boolean }): Promise<void>;
  send(queue: string, data: object): Promise<unknown>;
  insert(queue: string, jobs: readonly { readonly data: object }[]): Promise<unknown>;
  work(
    queue: string,
    options: {
      readonly localConcurrency: number;
      readonly batchSize: number;
      readonly burstWhenBatchFull: boolean;
      readonly pollingIntervalSeconds: number;
    },
    handler: (jobs: readonly { readonly data: { readonly seq: number } }[]) => Promise<void>,
  ): Promise<unknown>;
}

interface PgBossModule {
  readonly PgBoss: new (options: object) => Boss;
}

export const pgBoss: Contestant = {
  name: "pg-boss",
  modes: ["enqueue", "enqueue-many", "eager", "drain"],
  server: "postgres",
  enter: (server) =>
    enterPostgres(server, {
      table: "pgboss.job",
      setUp: async (url) => {
        const boss = await startBoss(url, BYSTANDER);
        await boss.createQueue(QUEUE, { notify: true });
        await boss.stop({ graceful: false });
      },
      preload: async (url, from, count) => {
        const boss = await startBoss(url, BYSTANDER);
        for (let start = from; start < from + count; start += PRELOAD_ROWS) {
          await boss.insert(QUEUE, jobsOf(start, Math.min(PRELOAD_ROWS, from + count - start)));
        }
        await boss.stop({ graceful: false });
      },
      countOpen: `SELECT count(*) AS count FROM pgboss.job WHERE name = '${QUEUE}' AND state < 'completed'`,
    }),
  async open(store, { mode, concurrency, connections, onTask }) {
    const producer = await startBoss(store, { ...BYSTANDER, migrate: false, max: connections });
    const isWorker = mode === "eager" || mode === "drain";
    const worker = isWorker ? await startBoss(store, { useListenNotify: true, max: 12 }) : undefined;
    const work = async (): Promise<void> => {
      await worker?.work(
        QUEUE,
        {
          localConcurrency: LOCAL_WORKERS,
          batchSize: Math.ceil(concurrency / LOCAL_WORKERS),
          burstWhenBatchFull: true,
          pollingIntervalSeconds: 0.5,
        },
        async (jobs) => void (await Promise.all(jobs.map(({ data }) => onTask(data.seq)))),
      );
    };
    if (mode === "eager") await work();
    return {
      enqueue: async (seq) => void (await producer.send(QUEUE, payloadOf(seq))),
      enqueueMany: async (seqs) =>
        void (await producer.insert(
          QUEUE,
          seqs.map((seq) => ({ data: payloadOf(seq) })),
        )),
      work,
      close: async () =>
        void (await Promise.all([producer.stop({ graceful: false }), worker?.stop({ graceful: false })])),
    };
  },
};

async function startBoss(connectionString: string, options: object): Promise<Boss> {
  const { PgBoss } = await loadPeer<PgBossModule>("pg-boss");
  const boss = new PgBoss({ connectionString, ...options });
  boss.on("error", (error) => console.error(`pg-boss: ${error.message}`));
  await boss.start();
  return boss;
}

function jobsOf(from: number, count: number): { data: object }[] {
  return Array.from({ length: count }, (_, index) => ({ data: payloadOf(from + index) }));
}
