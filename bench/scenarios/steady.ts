import { waitFor } from "../../worker/testing/wait-for.ts";
import { againAfterDeadlock } from "../again-after-deadlock.ts";
import { loopsFor, pause } from "../load.ts";
import { Meter } from "../meter.ts";
import type { Contest } from "../scenario.ts";

/** Tasks that may be enqueued and not started: the producers wait for the rest. */
const WINDOW = 400;

export const steady: Contest = scenarioOf("steady", 0);

export const eagerThroughput: Contest = scenarioOf("eager-throughput", 5);

function scenarioOf(name: string, handlerMs: number): Contest {
  return {
    name,
    about: `one task a business transaction from several producers in the same process, handlers of ${handlerMs} ms, until all is done`,
    mode: "eager",
    defaults: { seconds: 4, warmup: 10 },
    compared: "perSecond",
    async round(contestant, entry, settings) {
      const { concurrency, producers, seconds } = settings;
      let started = 0;
      let enqueued = 0;
      let wake: (() => void)[] = [];
      const running = againAfterDeadlock(
        await contestant.open(entry.url, {
          mode: "eager",
          concurrency,
          connections: producers,
          onTask: () => {
            started++;
            const waiting = wake;
            wake = [];
            for (const resolve of waiting) resolve();
            return handlerMs > 0 ? pause(handlerMs) : undefined;
          },
        }),
      );
      const meter = new Meter(entry.url, contestant);
      const produce = async (next: () => number): Promise<number> => {
        while (enqueued - started >= WINDOW) await new Promise<void>((resolve) => wake.push(resolve));
        enqueued++;
        await running.enqueue(next());
        return 1;
      };
      try {
        const warmUp = await loopsFor(settings.warmup, producers, produce);
        const before = meter.read();
        const tasks = await loopsFor(seconds, producers, produce, warmUp + 1);
        if (contestant.name !== "bare") {
          await waitFor("the last start", () => started === enqueued, 30_000);
          await waitFor("the last success", async () => (await entry.remaining()) === 0, 30_000);
        }
        return { ...meter.since(before, tasks), deadlocks: running.deadlocks };
      } finally {
        await running.close();
        meter.close();
      }
    },
  };
}
