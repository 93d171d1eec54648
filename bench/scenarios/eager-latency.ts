import { waitFor } from "../../worker/testing/wait-for.ts";
import { quantile, rounded } from "../figures.ts";
import { atRate, pause } from "../load.ts";
import { Meter } from "../meter.ts";
import type { Scenario } from "../scenario.ts";

const WARM_UP = 50;

export const eagerLatency: Scenario = {
  name: "eager-latency",
  about: "from the answer to COMMIT to the start of the handler, at a steady rate",
  mode: "eager",
  defaults: { seconds: 6, rate: 50 },
  compared: "p50Ms",
  contestants: ["redrive", "article"],
  async round(contestant, test, settings) {
    const { rate, seconds, concurrency, producers } = settings;
    const startMs = new Map<number, number>();
    const commitMs = new Map<number, number>();
    const running = await contestant.open(test, {
      mode: "eager",
      concurrency,
      connections: producers,
      onTask: (seq) => void startMs.set(seq, performance.now()),
    });
    const meter = Meter.open(test, contestant.commitsItself);
    const enqueue = async (seq: number): Promise<void> => {
      await running.enqueue(seq);
      commitMs.set(seq, performance.now());
    };
    try {
      await atRate(rate, WARM_UP, enqueue);
      await pause(200);
      const before = meter.read();
      const tasks = Math.round(rate * seconds);
      await atRate(rate, tasks, (index) => enqueue(1_000 + index));
      await waitFor("the last start", () => startMs.size >= WARM_UP + tasks);
      await waitFor("the last success", async () => (await contestant.remaining(test)) === 0);
      const used = meter.since(before, tasks);
      const latencies: number[] = [];
      for (const [seq, atMs] of commitMs) {
        // Started before the caller had read the answer: no wait at all.
        if (seq >= 1_000) latencies.push(Math.max(0, (startMs.get(seq) ?? Number.NaN) - atMs));
      }
      return {
        p50Ms: rounded(quantile(latencies, 0.5)),
        p95Ms: rounded(quantile(latencies, 0.95)),
        p99Ms: rounded(quantile(latencies, 0.99)),
        ...used,
        perSecond: null,
      };
    } finally {
      await running.close();
      meter.close();
    }
  },
};
