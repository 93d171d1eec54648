import { type Contestant, type Entry, LeftOut } from "../contestant.ts";
import { payloadOf } from "../payload.ts";
import { loadPeer } from "../peers/load.ts";
import type { ServerKind } from "../servers/server.ts";

/*
 * BullMQ with its defaults and the concurrency set; jobs that have ended stay. A job in Redis is not in the transaction of
 * the business: it is here to show what that costs.
 */

const QUEUE = "bench";
const PRELOAD_ROWS = 1_000;
const OPEN_STATES = ["wait", "active", "delayed", "prioritized", "paused"];

interface Queue {
  waitUntilReady(): Promise<unknown>;
  add(name: string, data: object): Promise<unknown>;
  addBulk(jobs: readonly { readonly name: string; readonly data: object }[]): Promise<unknown>;
  getJobCounts(...states: readonly string[]): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

interface Worker {
  on(event: "error", listener: (error: Error) => void): void;
  waitUntilReady(): Promise<unknown>;
  close(force: boolean): Promise<void>;
}

interface BullModule {
  readonly Queue: new (name: string, options: object) => Queue;
  readonly Worker: new (
    name: string,
    handler: (job: { readonly data: { readonly seq: number } }) => Promise<void>,
    options: object,
  ) => Worker;
}

interface RedisModule {
  readonly Redis: new (url: string) => {
    flushall(): Promise<unknown>;
    info(section: string): Promise<string>;
    config(verb: "GET", name: string): Promise<readonly string[]>;
    quit(): Promise<unknown>;
  };
}

export const bullmq: Contestant = bullmqOn("bullmq", "redis");
export const bullmqEverysec: Contestant = bullmqOn("bullmq-everysec", "redis-everysec");

function bullmqOn(name: string, server: ServerKind): Contestant {
  return {
    name,
    modes: ["enqueue", "enqueue-many", "eager", "drain"],
    server,
    enter: enterRedis,
    async open(store, { mode, concurrency, onTask }) {
      const bull = await loadPeer<BullModule>("bullmq");
      const connection = connectionOf(store);
      const queue = new bull.Queue(QUEUE, { connection });
      await queue.waitUntilReady();
      const start = async (): Promise<Worker> => {
        const worker = new bull.Worker(QUEUE, async ({ data }) => onTask(data.seq), { connection, concurrency });
        worker.on("error", (error) => console.error(`bullmq: ${error.message}`));
        await worker.waitUntilReady();
        return worker;
      };
      let worker = mode === "eager" ? await start() : undefined;
      return {
        enqueue: async (seq) => void (await queue.add(QUEUE, payloadOf(seq))),
        enqueueMany: async (seqs) => void (await queue.addBulk(seqs.map(jobOf))),
        work: async () => {
          worker = await start();
        },
        close: async () => void (await Promise.all([queue.close(), worker?.close(true)])),
      };
    },
  };
}

/** The whole server is the store: it is the bench's own, and empty again when the round begins and ends. */
async function enterRedis(server: string | undefined): Promise<Entry> {
  if (server === undefined) throw new LeftOut("Redis is not here");
  const bull = await loadPeer<BullModule>("bullmq");
  const { Redis } = await loadPeer<RedisModule>("ioredis");
  const redis = new Redis(server);
  await redis.flushall();
  const queue = new bull.Queue(QUEUE, { connection: connectionOf(server) });
  const [, appendonly] = await redis.config("GET", "appendonly");
  const [, appendfsync] = await redis.config("GET", "appendfsync");
  const version = /redis_version:(\S+)/.exec(await redis.info("server"))?.[1];
  return {
    url: server,
    conditions: { server: "redis", version, appendonly, appendfsync },
    preload: async (from, count) => {
      for (let start = from; start < from + count; start += PRELOAD_ROWS) {
        const rows = Math.min(PRELOAD_ROWS, from + count - start);
        await queue.addBulk(Array.from({ length: rows }, (_, index) => jobOf(start + index)));
      }
    },
    fillFinished: () => Promise.reject(new Error("finished rows are made on MySQL and MariaDB only")),
    remaining: async () => Object.values(await queue.getJobCounts(...OPEN_STATES)).reduce((sum, one) => sum + one, 0),
    leave: async () => {
      await queue.close();
      await redis.flushall();
      await redis.quit();
    },
  };
}

function connectionOf(url: string): object {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), maxRetriesPerRequest: null };
}

function jobOf(seq: number): { name: string; data: object } {
  return { name: QUEUE, data: payloadOf(seq) };
}
