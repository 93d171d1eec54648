import { waitFor } from "../../worker/testing/wait-for.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import type { Contestant } from "../contestant.ts";
import type { Figures } from "../figures.ts";
import { Meter } from "../meter.ts";
import type { Scenario, Settings } from "../scenario.ts";

export const drain: Scenario = {
  name: "drain",
  about: "due tasks that lie in the table, one worker process, no-op handler, until the last success is stored",
  mode: "drain",
  defaults: { tasks: 20_000 },
  compared: "perSecond",
  round: async (contestant, test, settings) => {
    await contestant.preload(test, 1, settings.tasks);
    return drained(contestant, test, settings);
  },
};

/** Runs what is due; from the start of the first handler until nothing is pending or running any more. */
export async function drained(contestant: Contestant, test: TestDatabase, settings: Settings): Promise<Figures> {
  const meter = Meter.open(test, contestant.commitsItself);
  let calls = 0;
  let before: ReturnType<Meter["read"]> | undefined;
  const running = await contestant.open(test, {
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
    await waitFor("the last call", () => calls >= settings.tasks, 180_000);
    await waitFor("the last success", async () => (await contestant.remaining(test)) === 0);
    if (!before) throw new Error("no handler was called");
    return { ...meter.since(before, settings.tasks), calls };
  } finally {
    await running.close();
    meter.close();
  }
}
