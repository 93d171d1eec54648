import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { crashBusyWorker } from "./demo-crash.mjs";
import { DemoDatabase } from "./demo-database.mjs";
import { DemoFleet } from "./demo-fleet.mjs";
import { freePorts } from "./demo-ports.mjs";
import { newPrefix, setUp } from "./demo-setup.mjs";
import { withProcesses } from "./demo-stop.mjs";
import { Traffic } from "./demo-traffic.mjs";
import { judge, meaningfulTasks } from "./demo-verdict.mjs";
import { log, SetupError } from "./log.mjs";
import { stateDir } from "./paths.mjs";

const crashShare = 0.4;
const trafficSecondsMin = 4;
const progressMs = 2000;
const lookMs = 100;
const aloneLimitMs = 15_000;
const ledgersKept = 4;
const limitSeconds = (tasks) => 180 + tasks * 0.05;

/**
 * Runs a number of tasks to their end, kills a worker in the middle, checks that nothing is lost, and prints one JSON
 * object as the last line of stdout. The exit code is 0 only if everything is as it must be.
 *
 * @param {import("./demo-options.mjs").DemoOptions} options
 */
export async function runToEnd(options) {
  const { tasks: tasksWanted } = options;
  const prepared = await setUp({ withConsole: false });
  const prefix = newPrefix();
  const ledgerPath = newLedgerPath(prefix);
  const found = await withProcesses(prepared, async (processes, stopSignal) => {
    const database = await DemoDatabase.open(prepared.url);
    try {
      await waitUntilAlone(database, stopSignal);
      return await observeRun({ options, prepared, prefix, ledgerPath, processes, stopSignal, database });
    } finally {
      await database.close();
    }
  });
  // Its processes have ended, so the downstream has written every line.
  const calls = readLedger(ledgerPath);
  const { counts, problems } = judge({ tasksWanted, calls, ...found });
  const { eagerStartMs, eagerStartAfterCommitMs } = found.stats;
  for (const problem of problems) log.warn(problem);
  log.note(`Every call that the downstream received: ${ledgerPath}`);
  console.log(
    JSON.stringify({
      ...counts,
      eagerStartMs,
      eagerStartAfterCommitMs,
      seconds: Math.round(found.milliseconds) / 1000,
      trafficSeconds: Math.round(found.trafficMilliseconds) / 1000,
    }),
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}

async function observeRun({ options, prepared, prefix, ledgerPath, processes, stopSignal, database }) {
  const { tasks: tasksWanted } = options;
  const deadline = AbortSignal.timeout(limitSeconds(tasksWanted) * 1000);
  const given = new AbortController();
  const signal = AbortSignal.any([stopSignal, deadline, given.signal]);
  const [downstreamPort, servicePort, ...workerPorts] = await freePorts(5);
  const env = { ORDER_CONCURRENCY: "32", ORDER_POLL_INTERVAL_MS: "500" };
  const fleet = new DemoFleet(processes, { databaseUrl: prepared.url, env, signal });
  log.step(`Starting an order service, two workers and a downstream; orders of this run begin with ${prefix}`);
  await fleet.downstream(downstreamPort, ledgerPath);
  const [workers] = await Promise.all([
    Promise.all([fleet.worker("worker-1", workerPorts[0]), fleet.worker("worker-2", workerPorts[1])]),
    fleet.service(servicePort),
  ]);

  const placed = [];
  const traffic = new Traffic({
    url: `http://127.0.0.1:${servicePort}`,
    prefix,
    tasksMax: tasksWanted,
    concurrency: options.concurrency ?? Math.min(64, Math.max(8, Math.ceil(tasksWanted / 100))),
    perSecond: options.rate ?? Math.max(1, tasksWanted / 3 / trafficSecondsMin),
    signal,
    onPlaced: (order) => placed.push(order),
    onRefused: (error) => given.abort(error),
  });
  const startedAt = performance.now();
  let trafficMilliseconds = 0;
  let counts = { pending: 0, succeeded: 0, failed: 0, running: 0, cancelled: 0 };
  const isOver = () => trafficMilliseconds > 0 && counts.succeeded + counts.failed >= tasksWanted;
  const over = new AbortController();

  const sending = traffic.send().then(() => (trafficMilliseconds = performance.now() - startedAt));
  const crashing = (async () => {
    while (traffic.tasks < tasksWanted * crashShare && !signal.aborted) await sleep(lookMs / 5);
    const crash = await crashBusyWorker({
      workers,
      processes,
      database,
      signal: AbortSignal.any([signal, over.signal]),
    });
    if (!crash) return;
    const { worker, running } = crash;
    log.step(`Killed ${worker.name} (SIGKILL) at ${traffic.tasks} enqueued tasks, while it held ${running} of them`);
    await fleet.worker("worker-3", workerPorts[2]);
    log.step("Started worker-3 in its place");
  })();
  const watching = (async () => {
    let toldAt = 0;
    while (!isOver() && !signal.aborted) {
      await sleep(lookMs);
      counts = await database.countTasks(prefix);
      if (performance.now() - toldAt < progressMs && !isOver()) continue;
      toldAt = performance.now();
      log.note(progressLine(traffic.tasks, tasksWanted, counts));
    }
    over.abort();
  })();
  await Promise.all([sending, crashing, watching]).catch((err) => {
    given.abort(err);
    throw err;
  });

  const milliseconds = performance.now() - startedAt;
  if (deadline.aborted) log.warn(`Not every task came to its end within ${limitSeconds(tasksWanted)} s`);
  else signal.throwIfAborted();
  if (tasksWanted < meaningfulTasks)
    log.note(`Below ${meaningfulTasks} tasks, failures and a recycle are not required`);
  const stats = await fetchJson(`http://127.0.0.1:${servicePort}/stats`);
  const tasks = await database.listTasks(prefix);
  const orders = await database.listOrders(prefix);
  return { placed, tasks, orders, stats, milliseconds, trafficMilliseconds };
}

/** Other workers would run some of the tasks against their own downstream. One that was killed counts as alive a while. */
async function waitUntilAlone(database, signal) {
  const deadline = performance.now() + aloneLimitMs;
  while ((await database.countLiveWorkers()) > 0) {
    signal.throwIfAborted();
    if (performance.now() > deadline) {
      throw new SetupError(
        "Another demo or worker is running on this database. Stop it, or set DATABASE_URL to another database.",
      );
    }
    await sleep(lookMs);
  }
}

function progressLine(enqueued, wanted, { pending, running, succeeded, failed }) {
  const parts = { enqueued: `${enqueued}/${wanted}`, pending, running, succeeded, failed };
  return Object.entries(parts)
    .map(([name, value]) => `${name} ${String(value).padStart(5)}`)
    .join("  ");
}

async function fetchJson(url) {
  const response = await fetch(url);
  if (!response.ok) throw new SetupError(`${url} answered ${response.status}.`);
  return response.json();
}

/** A file of its own for each run; the ones of the last few runs are kept. Their names sort by time. */
function newLedgerPath(prefix) {
  const directory = join(stateDir, "demo");
  mkdirSync(directory, { recursive: true });
  const old = readdirSync(directory).filter((name) => /^ledger-demo\w+\.jsonl$/.test(name));
  for (const name of old.sort().slice(0, -ledgersKept)) rmSync(join(directory, name), { force: true });
  return join(directory, `ledger-${prefix}.jsonl`);
}

function readLedger(path) {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}
