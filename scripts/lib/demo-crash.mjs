import { setTimeout as sleep } from "node:timers/promises";

const lookMs = 20;
const settleMs = 100;

/**
 * Kills one of the workers while it holds running tasks for certain: it is frozen first, then, when what it had sent
 * has arrived, the table is asked again; a worker whose tasks have ended meanwhile goes on.
 *
 * @param {{
 *   workers: import("./demo-processes.mjs").DemoProcess[],
 *   processes: import("./demo-processes.mjs").DemoProcesses,
 *   database: import("./demo-database.mjs").DemoDatabase,
 *   signal: AbortSignal,
 * }} parts the signal ends the search
 * @returns {Promise<{ worker: import("./demo-processes.mjs").DemoProcess, running: number } | null>}
 */
export async function crashBusyWorker({ workers, processes, database, signal }) {
  while (!signal.aborted) {
    const [busiest] = await database.busyWorkers(workers.map(({ pid }) => pid));
    const worker = workers.find(({ pid }) => pid === busiest?.pid);
    if (worker) {
      process.kill(worker.pid, "SIGSTOP");
      await sleep(settleMs);
      const [frozen] = await database.busyWorkers([worker.pid]);
      if (frozen) {
        await processes.crash(worker);
        return { worker, running: frozen.running };
      }
      process.kill(worker.pid, "SIGCONT");
    }
    await sleep(lookMs);
  }
  return null;
}
