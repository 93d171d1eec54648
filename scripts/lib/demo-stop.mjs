import { leaveDatabase } from "./demo-database.mjs";
import { DemoProcesses } from "./demo-processes.mjs";
import { log, SetupError } from "./log.mjs";

/** npm passes a Ctrl-C on that the terminal has already sent: what comes so soon is the same one. */
const sameSignalMs = 1000;

/** What ends a demo that was told to stop. */
export class StoppedError extends SetupError {}

/**
 * Runs `body` with processes of its own and ends them in every case. The signal given to `body` aborts with the reason
 * when somebody presses Ctrl-C or a process ends that should not; a second Ctrl-C ends everything by force.
 *
 * @template T
 * @param {{ url: string, wasStartedHere: boolean }} prepared
 * @param {(processes: DemoProcesses, signal: AbortSignal) => Promise<T>} body
 * @returns {Promise<T>}
 */
export async function withProcesses(prepared, body) {
  const processes = new DemoProcesses();
  const interrupted = new AbortController();
  let stoppedAt = 0;
  const onSignal = () => {
    if (interrupted.signal.aborted) {
      if (performance.now() - stoppedAt < sameSignalMs) return;
      processes.kill();
      process.exit(130);
    }
    stoppedAt = performance.now();
    log.step("Stopping (once more: by force)");
    interrupted.abort(new StoppedError("The demo was stopped."));
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, onSignal);
  process.on("exit", () => processes.kill());
  try {
    return await body(processes, AbortSignal.any([interrupted.signal, processes.failure.signal]));
  } finally {
    const killed = await processes.stop();
    if (killed.length > 0) log.warn(`Did not stop in time and had to be killed: ${killed.join(", ")}`);
    await leaveDatabase(prepared);
  }
}
