import { waitFor } from "../../worker/testing/wait-for.ts";
import { againAfterDeadlock } from "../again-after-deadlock.ts";
import { quantile, rounded } from "../figures.ts";
import { atRate, pause } from "../load.ts";
import { Meter } from "../meter.ts";
import type { Contest } from "../scenario.ts";

const WARM_UP = 50;
/** Numbers below are of the warm-up. */
const FIRST = 1_000;

export const eagerLatency: Contest = {
  name: "eager-latency",
  about: "from the answer to COMMIT to the start of the handler, at a steady rate",
  mode: "eager",
  defaults: { seconds: 6, rate: 50 },
  compared: "p50Ms",
  // The bare transaction starts nothing.
  admits: ({ name }) => name !== "bare",
  async round(contestant, entry, settings) {
    const { rate, seconds, concurrency, producers } = settings;
    const startMs = new Map<number, number>();
    const calledMs = new Map<number, number>();
    const commitMs = new Map<number, number>();
    const running = againAfterDeadlock(
      await contestant.open(entry.url, {
        mode: "eager",
        concurrency,
        connections: producers,
        onTask: (seq) => void startMs.set(seq, performance.now()),
      }),
    );
    const meter = new Meter(entry.url, contestant);
    const enqueue = async (seq: number): Promise<void> => {
      calledMs.set(seq, performance.now());
      await running.enqueue(seq);
      commitMs.set(seq, performance.now());
    };
    try {
      await atRate(rate, WARM_UP, enqueue);
      await pause(200);
      const before = meter.read();
      const tasks = Math.round(rate * seconds);
      await atRate(rate, tasks, (index) => enqueue(FIRST + index));
      await waitFor("the last start", () => startMs.size >= WARM_UP + tasks);
      await waitFor("the last success", async () => (await entry.remaining()) === 0);
      const used = meter.since(before, tasks);
      const waits = (since: ReadonlyMap<number, number>): number[] =>
        [...since].filter(([seq]) => seq >= FIRST).map(([seq, atMs]) => (startMs.get(seq) ?? Number.NaN) - atMs);
      // Started before the caller had read the answer: no wait at all.
      const latencies = waits(commitMs).map((ms) => Math.max(0, ms));
      return {
        p50Ms: rounded(quantile(latencies, 0.5)),
        p95Ms: rounded(quantile(latencies, 0.95)),
        p99Ms: rounded(quantile(latencies, 0.99)),
        fromCallP50Ms: rounded(quantile(waits(calledMs), 0.5)),
        fromCallP99Ms: rounded(quantile(waits(calledMs), 0.99)),
        ...used,
        deadlocks: running.deadlocks,
        perSecond: null,
      };
    } finally {
      await running.close();
      meter.close();
    }
  },
};
