import { againAfterDeadlock } from "../again-after-deadlock.ts";
import { loopsFor } from "../load.ts";
import { Meter } from "../meter.ts";
import type { Contestant, Entry } from "../contestant.ts";
import { quantile, rounded } from "../figures.ts";
import type { Contest, Settings } from "../scenario.ts";

const MANY = 500;
const MANY_LOOPS = 4;

export const enqueueOne: Contest = {
  name: "enqueue-one",
  about: "one task a transaction, nothing runs",
  mode: "enqueue",
  defaults: { seconds: 3 },
  compared: "perSecond",
  round: (contestant, entry, settings) => enqueued(contestant, entry, settings, settings.producers, 1),
};

export const enqueueMany: Contest = {
  name: "enqueue",
  about: `${MANY} tasks a call and transaction, ${MANY_LOOPS} calls at once, nothing runs`,
  mode: "enqueue-many",
  defaults: { seconds: 3 },
  compared: "perSecond",
  round: (contestant, entry, settings) => enqueued(contestant, entry, settings, MANY_LOOPS, MANY),
};

async function enqueued(contestant: Contestant, entry: Entry, settings: Settings, loops: number, each: number) {
  const running = againAfterDeadlock(
    await contestant.open(entry.url, {
      mode: each === 1 ? "enqueue" : "enqueue-many",
      concurrency: 1,
      connections: loops,
      onTask: () => undefined,
    }),
  );
  const meter = new Meter(entry.url, contestant);
  const times: number[] = [];
  const work = async (next: () => number): Promise<number> => {
    const atMs = performance.now();
    if (each === 1) await running.enqueue(next());
    else await running.enqueueMany(Array.from({ length: each }, next));
    times.push(performance.now() - atMs);
    return each;
  };
  try {
    const warmUp = await loopsFor(settings.warmup, loops, work);
    times.length = 0;
    const before = meter.read();
    const tasks = await loopsFor(settings.seconds, loops, work, warmUp + 1);
    const used = meter.since(before, tasks);
    return {
      ...used,
      deadlocks: running.deadlocks,
      callMsP50: rounded(quantile(times, 0.5)),
      callMsP99: rounded(quantile(times, 0.99)),
    };
  } finally {
    await running.close();
    meter.close();
  }
}
