import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDemoAdmin } from "./demo-admin.mjs";
import { DemoDatabase } from "./demo-database.mjs";
import { DemoFleet } from "./demo-fleet.mjs";
import { checkPorts } from "./demo-ports.mjs";
import { newPrefix, setUp } from "./demo-setup.mjs";
import { StoppedError, withProcesses } from "./demo-stop.mjs";
import { Traffic } from "./demo-traffic.mjs";
import { log } from "./log.mjs";
import { stateDir } from "./paths.mjs";

const ratePerSecond = 3;
const concurrency = 16;
const statusMs = 5000;

/**
 * Runs console, worker, order service, downstream and traffic until Ctrl-C.
 *
 * @param {import("./demo-options.mjs").DemoOptions} options
 */
export async function runLive(options) {
  const { ports } = options;
  await checkPorts({
    PORT: ports.console,
    WORKER_PORT: ports.worker,
    ORDER_SERVICE_PORT: ports.service,
    DOWNSTREAM_PORT: ports.downstream,
  });
  const prepared = await setUp({ withConsole: true });
  try {
    await withProcesses(prepared, (processes, signal) => live({ options, prepared, processes, signal }));
  } catch (err) {
    // Somebody pressing Ctrl-C is how a live demo ends.
    if (!(err instanceof StoppedError)) throw err;
    log.step("Everything has stopped");
  }
}

async function live({ options, prepared, processes, signal }) {
  const { ports } = options;
  const directory = join(stateDir, "demo");
  const ledgerPath = join(directory, "ledger-live.jsonl");
  mkdirSync(directory, { recursive: true });
  rmSync(ledgerPath, { force: true });
  const admin = await makeDemoAdmin(prepared.url);
  const fleet = new DemoFleet(processes, { databaseUrl: prepared.url, env: {}, signal });
  log.step("Starting console, worker, order service and downstream");
  await fleet.downstream(ports.downstream, ledgerPath);
  await Promise.all([fleet.console(ports.console), fleet.worker("worker", ports.worker), fleet.service(ports.service)]);
  console.log(urls(ports, directory, admin));

  const database = await DemoDatabase.open(prepared.url);
  let lastProblem = "";
  const traffic = new Traffic({
    url: `http://127.0.0.1:${ports.service}`,
    prefix: newPrefix(),
    tasksMax: options.tasks,
    concurrency: options.concurrency ?? concurrency,
    perSecond: options.rate ?? ratePerSecond,
    signal,
    onRefused: (error) => (lastProblem = error.message),
  });
  const sending = traffic.send();
  try {
    while (!signal.aborted) {
      await sleep(statusMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
      const counts = await database.countTasks(null).catch((err) => ({ problem: `database: ${err.message}` }));
      log.note(statusLine(traffic, counts, await ledgerSummary(fleet.downstreamUrl)));
      if (lastProblem) log.warn(lastProblem);
      lastProblem = "";
    }
    await sending;
  } finally {
    await database.close();
  }
  signal.throwIfAborted();
}

function urls(ports, directory, admin) {
  return `
  Console        http://localhost:${ports.console}
                 sign in as ${admin.name} with the password ${admin.password}
  Worker         http://localhost:${ports.worker}/metrics
  Order service  http://localhost:${ports.service}/healthz
  Downstream     http://localhost:${ports.downstream}/ledger/summary
  Logs           ${directory}

  Orders of your own:
  curl -H 'content-type: application/json' -d '{"id":"mine-1","amountCents":4200,"phone":"+49301234567"}' http://localhost:${ports.service}/orders

  Ctrl-C stops everything.
`;
}

function statusLine(traffic, counts, ledger) {
  const orders = `orders ${traffic.orders}${traffic.refused > 0 ? ` (${traffic.refused} refused)` : ""}`;
  const tasks =
    counts.problem ?? ["pending", "running", "succeeded", "failed"].map((s) => `${s} ${counts[s]}`).join("  ");
  return `${new Date().toTimeString().slice(0, 8)}  ${orders}  |  tasks: ${tasks}  |  downstream: ${ledger}`;
}

async function ledgerSummary(url) {
  try {
    const response = await fetch(`${url}/ledger/summary`, { signal: AbortSignal.timeout(2000) });
    const { calls, byStatus } = await response.json();
    return `${calls} calls, ${calls - (byStatus["200"] ?? 0)} refused`;
  } catch {
    return "no answer";
  }
}
