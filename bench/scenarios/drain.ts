import { waitFor } from "../../worker/testing/wait-for.ts";
import type { Contestant, Entry } from "../contestant.ts";
import { type Figures, rounded } from "../figures.ts";
import { Meter, type Reading } from "../meter.ts";
import type { Contest, Settings } from "../scenario.ts";
import { WorkerProcesses } from "../worker-processes.ts";

export const drain: Contest = {
  name: "drain",
  about:
    "due tasks that lie in the table, no-op handler, until the last success is stored; --workers N: by N new processes",
  mode: "drain",
  defaults: { tasks: 20_000 },
  compared: "perSecond",
  round: async (contestant, entry, settings) => {
    await entry.preload(1, settings.tasks);
    return drained(contestant, entry, settings);
  },
};

/** What is told of a contestant who called no handler within the limit. */
const NOTHING_RUN: Figures = { perSecond: 0, calls: 0 };

/** Runs what is due; from the start of the first handler until nothing is pending or running any more, or the limit. */
export async function drained(contestant: Contestant, entry: Entry, settings: Settings): Promise<Figures> {
  return settings.workers > 0
    ? drainedByProcesses(contestant, entry, settings)
    : drainedHere(contestant, entry, settings);
}

async function drainedHere(contestant: Contestant, entry: Entry, settings: Settings): Promise<Figures> {
  const meter = new Meter(entry.url, contestant);
  let calls = 0;
  let before: Reading | undefined;
  const running = await contestant.open(entry.url, {
    mode: "drain",
    concurrency: settings.concurrency,
    connections: 2,
    onTask: () => {
      before ??= meter.read();
      calls++;
    },
  });
  try {
    await running.work();
    await allRun(entry, settings, () => calls);
    if (!before) return NOTHING_RUN;
    return { ...meter.since(before, Math.min(calls, settings.tasks)), calls };
  } finally {
    await running.close();
    meter.close();
  }
}

async function drainedByProcesses(contestant: Contestant, entry: Entry, settings: Settings): Promise<Figures> {
  const { workers, concurrency } = settings;
  const meter = new Meter(entry.url, contestant);
  const processes = await WorkerProcesses.start(workers, {
    contestant: contestant.name,
    store: entry.url,
    concurrency,
  });
  try {
    let before: Reading | undefined;
    processes.onFirstStart(() => {
      before ??= meter.read();
    });
    processes.work();
    await allRun(entry, settings, () => processes.started.size);
    const ended = meter.read();
    if (!before) return NOTHING_RUN;
    const used = await processes.stop();
    const tasks = processes.started.size;
    return {
      ...meter.since(before, tasks, used),
      perSecond: rounded(tasks / ((ended.atMs - before.atMs) / 1_000)),
      calls: processes.starts.length,
    };
  } finally {
    await processes.kill();
    meter.close();
  }
}

/** Waits until every task was started and has ended, or the limit is over. */
async function allRun(entry: Entry, { tasks, limit }: Settings, calls: () => number): Promise<void> {
  const untilMs = performance.now() + limit * 1_000;
  const isOver = () => performance.now() > untilMs;
  await waitFor("the last call", () => calls() >= tasks || isOver(), limit * 2_000);
  await waitFor("the last success", async () => isOver() || (await entry.remaining()) === 0, limit * 2_000);
}
