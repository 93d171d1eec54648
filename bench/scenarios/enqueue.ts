import { loopsFor } from "../load.ts";
import { Meter } from "../meter.ts";
import type { Scenario } from "../scenario.ts";
import { quantile, rounded } from "../figures.ts";

const MANY = 500;
const MANY_LOOPS = 4;
/** Time for code to be compiled: a service does that once. */
const WARM_UP_SECONDS = 3;

export const enqueueOne: Scenario = {
  name: "enqueue-one",
  about: "one task a transaction, nothing runs",
  mode: "enqueue",
  defaults: { seconds: 3 },
  compared: "perSecond",
  round: (contestant, test, settings) => enqueued(contestant, test, settings.seconds, settings.producers, 1),
};

export const enqueueMany: Scenario = {
  name: "enqueue",
  about: `${MANY} tasks a call and transaction, ${MANY_LOOPS} calls at once, nothing runs`,
  mode: "enqueue",
  defaults: { seconds: 3 },
  compared: "perSecond",
  round: (contestant, test, settings) => enqueued(contestant, test, settings.seconds, MANY_LOOPS, MANY),
};

async function enqueued(
  contestant: Parameters<Scenario["round"]>[0],
  test: Parameters<Scenario["round"]>[1],
  seconds: number,
  loops: number,
  each: number,
) {
  const running = await contestant.open(test, {
    mode: "enqueue",
    concurrency: 1,
    connections: loops,
    onTask: () => undefined,
  });
  const meter = Meter.open(test, contestant.commitsItself);
  const times: number[] = [];
  const work = async (next: () => number): Promise<number> => {
    const atMs = performance.now();
    if (each === 1) await running.enqueue(next());
    else await running.enqueueMany(Array.from({ length: each }, next));
    times.push(performance.now() - atMs);
    return each;
  };
  try {
    const warmUp = await loopsFor(WARM_UP_SECONDS, loops, work);
    times.length = 0;
    const before = meter.read();
    const tasks = await loopsFor(seconds, loops, work, warmUp + 1);
    const used = meter.since(before, tasks);
    return { ...used, callMsP50: rounded(quantile(times, 0.5)), callMsP99: rounded(quantile(times, 0.99)) };
  } finally {
    await running.close();
    meter.close();
  }
}
