import type { Contestant, OpenOptions } from "../contestant.ts";
import { payloadOf } from "../payload.ts";
import { loadPeer } from "../peers/load.ts";
import { enterPeerTable } from "./peer-tables.ts";

/*
 * Sidequest with its fastest settings: jobs run in this process and thread instead of a fork with worker threads, it polls
 * every 10 ms instead of 100, and its pool has room for all that run. It enqueues one job a call.
 */

const POLL_INTERVAL_MS = 10;
const DRIVER = "@sidequest/mysql-backend";

export interface SidequestModule {
  readonly Job: abstract new () => object;
  readonly Sidequest: {
    configure(options: object): Promise<void>;
    start(options: object): Promise<void>;
    stop(): Promise<void>;
    build(job: unknown): { enqueue(payload: unknown): Promise<unknown> };
  };
}

export const sidequest: Contestant = {
  name: "sidequest",
  modes: ["enqueue", "eager", "drain"],
  server: "mysql",
  enter: (server) =>
    enterPeerTable(server, {
      table: "sidequest_jobs",
      setUp: async (test) => {
        const { Sidequest } = await loadPeer<SidequestModule>("sidequest");
        await Sidequest.configure({ ...QUIET, backend: { driver: DRIVER, config: test.url } });
        const { BenchJob } = await import("./sidequest-job.ts");
        await Sidequest.build(BenchJob).enqueue(payloadOf(0));
        await Sidequest.stop();
      },
      pending: (payload) => ({ args: `CONCAT('[', ${payload}, ']')` }),
      finished: {
        state: "'completed'",
        attempt: "1",
        completed_at: "NOW(3)",
        attempted_at: "NOW(3)",
        claimed_at: "NOW(3)",
      },
      omit: ["unique_digest_active"],
      open: "state NOT IN ('completed', 'failed', 'canceled')",
    }),
  async open(store, options) {
    const { Sidequest } = await loadPeer<SidequestModule>("sidequest");
    const { BenchJob, handleWith } = await import("./sidequest-job.ts");
    handleWith(options.onTask);
    const work = () => Sidequest.start({ ...settings(store, options), ...workerSettings(options.concurrency) });
    if (options.mode === "eager") await work();
    else if (options.mode !== "drain") await Sidequest.configure(settings(store, options));
    return {
      enqueue: async (seq) => void (await Sidequest.build(BenchJob).enqueue(payloadOf(seq))),
      enqueueMany: () => Promise.reject(new Error("sidequest enqueues one job a call")),
      work,
      close: () => Sidequest.stop(),
    };
  },
};

const QUIET = { logger: { level: "error" }, gracefulShutdown: false };

function settings(store: string, { mode, concurrency, connections }: OpenOptions): object {
  const max = mode === "enqueue" ? connections : concurrency + 10;
  const config = { connection: store, pool: { min: 0, max } };
  return { ...QUIET, skipMigration: true, backend: { driver: DRIVER, config } };
}

function workerSettings(concurrency: number): object {
  return {
    queues: [{ name: "default", concurrency }],
    queueDefaults: { concurrency },
    maxConcurrentJobs: concurrency,
    dashboard: { enabled: false },
    fork: false,
    runner: "inline",
    jobPollingInterval: POLL_INTERVAL_MS,
  };
}
