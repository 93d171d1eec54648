import { ChildEngine } from "../../worker/testing/child-engine.ts";
import { insertDueTasks } from "../../worker/testing/task-facts.ts";
import { rounded } from "../figures.ts";
import type { Scenario } from "../scenario.ts";

const RUNNING = 200;

export const crash: Scenario = {
  name: "crash",
  about: `SIGKILL of a worker with ${RUNNING} running, a new worker at once, default settings; until the last of them runs again`,
  mode: "drain",
  defaults: { tasks: RUNNING },
  compared: "lastRerunSeconds",
  contestants: ["redrive"],
  async round(_contestant, test) {
    const type = { eventType: "BENCH", concurrency: RUNNING };
    const first = await ChildEngine.start({ url: test.url, types: [{ ...type, steps: [{ do: "hang" }] }] });
    try {
      await insertDueTasks(test, "BENCH", RUNNING);
      await first.waitUntil("all run", () => first.calls("start").length === RUNNING, 60_000);
    } finally {
      await first.kill();
    }
    const killedMs = performance.now();
    const second = await ChildEngine.start({ url: test.url, types: [{ ...type, steps: [] }] });
    try {
      let firstMs = Number.NaN;
      await second.waitUntil(
        "all run again",
        () => {
          const { length } = second.calls("start");
          if (length > 0 && Number.isNaN(firstMs)) firstMs = performance.now();
          return length >= RUNNING;
        },
        120_000,
      );
      const again = new Set(second.calls("start").map((call) => call.id));
      return {
        firstRerunSeconds: rounded((firstMs - killedMs) / 1_000),
        lastRerunSeconds: rounded((performance.now() - killedMs) / 1_000),
        lost: RUNNING - again.size,
        ranTwiceAgain: second.calls("start").length - again.size,
      };
    } finally {
      await second.kill();
    }
  },
};
