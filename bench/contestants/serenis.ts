import { type Contestant, LeftOut } from "../contestant.ts";
import { payloadOf } from "../payload.ts";
import { loadPeer } from "../peers/load.ts";
import { enterPeerTable } from "./peer-tables.ts";

/*
 * @serenis/mysql-queue with its fastest documented settings: so many jobs a poll as may run at once, each a callback of its
 * own, 10 ms of sleep when nothing was found (its defaults are one job a poll and 500 ms).
 */

const QUEUE = "bench";
const IDLE_MS = 10;
/** Its default of 5 s would end the handlers that a crash needs hanging. */
const DURATION_MAX_MS = 3_600_000;

interface SerenisQueue {
  globalInitialize(): Promise<void>;
  upsertQueue(name: string, options: { readonly maxDurationMs: number }): Promise<unknown>;
  enqueue(queue: string, jobs: SerenisJob | readonly SerenisJob[]): Promise<unknown>;
  work(
    queue: string,
    callback: (jobs: readonly { readonly payload: unknown }[]) => Promise<void>,
    options: {
      readonly pollingBatchSize: number;
      readonly callbackBatchSize: number;
      readonly pollingIntervalMs: number;
    },
  ): Promise<{ start(): Promise<void> }>;
  dispose(): Promise<void>;
}

interface SerenisJob {
  readonly name: string;
  readonly payload: unknown;
}

interface SerenisModule {
  MysqlQueue(options: { readonly dbUri: string; readonly loggingLevel: string }): SerenisQueue;
}

export const serenis: Contestant = {
  name: "serenis",
  modes: ["enqueue", "enqueue-many", "eager", "drain"],
  server: "mysql",
  enter: (server) =>
    enterPeerTable(server, {
      table: "mysql_queue_jobs",
      setUp: async (test) => {
        if (test.kind === "mariadb") throw new LeftOut("its tables cannot be made on MariaDB (a functional key part)");
        const queue = await openQueue(test.url);
        try {
          await queue.globalInitialize();
          await queue.upsertQueue(QUEUE, { maxDurationMs: DURATION_MAX_MS });
          await queue.enqueue(QUEUE, jobOf(0));
        } finally {
          await queue.dispose();
        }
      },
      pending: (payload) => ({ id: "UUID()", payload }),
      finished: { status: "'completed'", completedAt: "NOW(3)" },
      omit: [],
      open: "status IN ('pending', 'running')",
    }),
  async open(store, { mode, concurrency, onTask }) {
    const producer = await openQueue(store);
    const worker = mode === "eager" || mode === "drain" ? await openQueue(store) : undefined;
    const work = async (): Promise<void> => {
      await worker?.globalInitialize();
      const run = await worker?.work(QUEUE, ([job]) => Promise.resolve(onTask(seqOf(job?.payload))), {
        pollingBatchSize: concurrency,
        callbackBatchSize: 1,
        pollingIntervalMs: IDLE_MS,
      });
      void run?.start();
    };
    if (mode === "eager") await work();
    return {
      enqueue: async (seq) => void (await producer.enqueue(QUEUE, jobOf(seq))),
      enqueueMany: async (seqs) => void (await producer.enqueue(QUEUE, seqs.map(jobOf))),
      work,
      close: async () => void (await Promise.all([producer.dispose(), worker?.dispose()])),
    };
  },
};

async function openQueue(store: string): Promise<SerenisQueue> {
  const { MysqlQueue } = await loadPeer<SerenisModule>("@serenis/mysql-queue");
  return MysqlQueue({ dbUri: store, loggingLevel: "error" });
}

function jobOf(seq: number): SerenisJob {
  return { name: QUEUE, payload: payloadOf(seq) };
}

function seqOf(payload: unknown): number {
  const value: unknown = typeof payload === "string" ? JSON.parse(payload) : payload;
  return (value as { seq: number }).seq;
}
