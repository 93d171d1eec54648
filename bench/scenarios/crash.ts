import { waitFor } from "../../worker/testing/wait-for.ts";
import { rounded } from "../figures.ts";
import type { Contest } from "../scenario.ts";
import { WorkerProcesses } from "../worker-processes.ts";

const RUNNING = 200;
/** Nobody starts another handler after so long: what runs by then is what is killed. */
const SETTLED_MS = 3_000;

export const crash: Contest = {
  name: "crash",
  about: `SIGKILL of a worker with ${RUNNING} running, a new worker at once; until the last of them runs again, or --limit`,
  mode: "drain",
  defaults: { tasks: RUNNING, concurrency: RUNNING, limit: 120 },
  compared: "lastRerunSeconds",
  admits: ({ name }) => name !== "bare",
  async round(contestant, entry, { tasks, concurrency, limit }) {
    const plan = { contestant: contestant.name, store: entry.url, concurrency };
    await entry.preload(1, tasks);
    const first = await WorkerProcesses.start(1, { ...plan, hangs: true });
    first.work();
    try {
      await waitFor("the handlers to run", () => first.started.size >= tasks || first.quietMs > SETTLED_MS, 60_000);
    } finally {
      await first.kill();
    }
    const killedMs = performance.now();
    const killed = new Set(first.started);
    const second = await WorkerProcesses.start(1, plan);
    second.work();
    try {
      const elapsed = () => (performance.now() - killedMs) / 1_000;
      let firstSeconds = Number.NaN;
      let seen = 0;
      const again = new Set<number>();
      await waitFor(
        "all to run again",
        () => {
          for (; seen < second.starts.length; seen++) {
            const seq = second.starts[seen] ?? 0;
            if (killed.has(seq)) again.add(seq);
          }
          if (again.size > 0 && Number.isNaN(firstSeconds)) firstSeconds = elapsed();
          return again.size >= killed.size || elapsed() > limit;
        },
        limit * 2_000,
      );
      const isDone = again.size >= killed.size;
      return {
        running: killed.size,
        firstRerunSeconds: again.size > 0 ? rounded(firstSeconds) : null,
        lastRerunSeconds: isDone ? rounded(elapsed()) : null,
        notWithinLimit: killed.size - again.size,
        ranTwiceAgain: second.starts.length - second.started.size,
      };
    } finally {
      await second.kill();
    }
  },
};
