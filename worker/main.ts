import { drizzle } from "drizzle-orm/mysql2";
import mysql from "mysql2/promise";
import { pino } from "pino";
import { Database } from "../db/client.ts";
import { describeTarget } from "../db/connection-options.ts";
import { effectiveSettings } from "../db/event-type-settings.ts";
import { readSampledGauges } from "../db/queries/metrics.ts";
import { createArchiver } from "./duties/create-archiver.ts";
import { createBulkRunner } from "./duties/create-bulk-runner.ts";
import { createHistoryDuties } from "./duties/create-history-duties.ts";
import { GaugeSampler } from "./duties/gauge-sampler.ts";
import { systemClock } from "./engine/clock.ts";
import { EngineEvents } from "./engine/events.ts";
import { createEngine, type Handler, type Logger } from "./engine/index.ts";
import { EnvironmentError, readWorkerEnv, type WorkerEnv } from "./env.ts";
import { loadHandlers } from "./handlers/load-handlers.ts";
import { DatabaseProbe } from "./http/database-probe.ts";
import { type HttpServer, startHttpServer } from "./http/http-server.ts";
import { workerRoutes } from "./http/worker-routes.ts";
import { LineLimiter } from "./line-limiter.ts";
import { describeListenError } from "./listen-error.ts";
import { logEngineEvents } from "./log-events.ts";
import { createEngineMetrics } from "./metrics/engine-metrics.ts";
import { registerFleetGauges } from "./metrics/fleet-gauges.ts";
import { createHistoryCounters } from "./metrics/history-counters.ts";
import { startWhenPossible } from "./start-engine.ts";

/*
 * The worker process. Exit codes: 0, stopped in order after SIGTERM or SIGINT; 1, could not start, did not manage to stop
 * in order, or was told a second time, half a second later or more, and ended at once (its tasks are then recycled by others).
 */

/** What stopping may take beyond the grace time: writing results, closing connections. */
const STOP_RESERVE_MS = 15_000;
/** Ctrl-C under npm reaches the process twice, from the terminal and from npm: signals this close together are one. */
const SAME_SIGNAL_MS = 500;
/** More connections than this for handlers are opened only if somebody asks for them. */
const HANDLER_CONNECTIONS_MAX = 50;

const env = readEnvironment();
const log = pino({
  level: env.logLevel,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
});
try {
  await runWorker(env, log);
} catch (error) {
  log.fatal({ err: error }, error instanceof Error ? error.message : "the worker could not start");
  process.exit(1);
}

function readEnvironment(): WorkerEnv {
  try {
    return readWorkerEnv(process.env);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    // Not through the log: its own level may be among the problems.
    process.stderr.write(`The worker cannot start; its environment has these problems:\n${error.message}\n`);
    process.exit(1);
  }
}

async function runWorker(env: WorkerEnv, log: Logger): Promise<void> {
  for (const warning of env.warnings) log.warn({}, warning);
  const handlers = await loadHandlers(env.handlersModule, { cwd: process.cwd(), env: process.env });
  const pool = createHandlerPool(env, handlers, log);
  const engine = createEngine({ ...env.tuning, database: drizzle(pool), connection: env.connection, handlers, log });
  const database = new Database({
    connection: env.connection,
    zone: env.zone,
    connectionLimit: 2,
    acquireTimeoutMs: 3_000,
    statementTimeoutMs: 3_000,
  });
  logEngineEvents(engine, log);
  const dutyEvents = new EngineEvents();
  logEngineEvents(dutyEvents, log);
  const sampler = new GaugeSampler(database, engine.owner, systemClock, dutyEvents);
  const bulk = createBulkRunner(env, { owner: engine.owner, clock: systemClock, events: dutyEvents, log });
  const eventTypes = handlers.map((handler) => handler.eventType);
  const probe = new DatabaseProbe(database);
  const metrics = createEngineMetrics(engine, eventTypes);
  const meter = createHistoryCounters(metrics, eventTypes);
  const historyParts = { owner: engine.owner, clock: systemClock, events: dutyEvents, log, meter };
  const archiver = createArchiver(env, historyParts);
  const history = createHistoryDuties(env, historyParts);
  registerFleetGauges(metrics, () => database.use((session) => readSampledGauges(session)));
  const http = await listen(env, log, workerRoutes({ engine, probe, metrics, wakeToken: env.wakeToken }));
  log.info(
    { owner: engine.owner, host: env.host, port: http.port, database: describeTarget(env.connection), eventTypes },
    "worker listens",
  );

  const stopping = new AbortController();
  const starting = startWhenPossible({ engine, database, log, clock: systemClock, signal: stopping.signal });
  const stopOnce = async (why: object, exitCode: number): Promise<void> => {
    stopping.abort();
    setTimeout(() => {
      log.error({}, "stopping took too long; ended without order");
      process.exit(1);
    }, env.graceMs + STOP_RESERVE_MS);
    log.info({ ...why, graceMs: env.graceMs }, "worker stops");
    const isStarted = await starting.catch(() => false);
    // The duties end their statement under way while the engine already takes no more tasks.
    const duties = Promise.all([sampler.stop(), archiver?.stop(), bulk?.stop(), history.stop()]);
    const report = isStarted ? await engine.stop({ graceMs: env.graceMs }) : undefined;
    await duties;
    await Promise.all([http.close(), pool.end(), database.close()]);
    log.info({ ...report }, "worker stopped");
    process.exit(exitCode);
  };
  let stoppedAtMs = Number.NEGATIVE_INFINITY;
  const stop = (why: object, exitCode: number): void => {
    if (stopping.signal.aborted) {
      if (systemClock.monotonicMs() - stoppedAtMs < SAME_SIGNAL_MS) return;
      log.warn(why, "told to stop a second time; ended at once");
      process.exit(1);
    }
    stoppedAtMs = systemClock.monotonicMs();
    stopOnce(why, exitCode).catch((error: unknown) => {
      log.error({ err: error }, "the worker could not stop in order; its tasks are recycled by others");
      process.exit(1);
    });
  };
  process.on("SIGTERM", () => stop({ signal: "SIGTERM" }, 0));
  process.on("SIGINT", () => stop({ signal: "SIGINT" }, 0));
  guardProcess(log, (error) => {
    if (!stopping.signal.aborted) stop({ uncaughtException: error.message }, 1);
  });

  if (!(await starting)) return;
  sampler.start();
  archiver?.start();
  bulk?.start();
  history.start();
  log.info({ owner: engine.owner }, "worker started");
}

/**
 * Handlers are other people's code. A promise they forgot is logged and the worker goes on; an error thrown where nobody
 * can catch it leaves the process in an unknown state, so it stops in order and exits with 1.
 */
function guardProcess(log: Logger, onFatal: (error: Error) => void): void {
  const limiter = new LineLimiter(systemClock);
  process.on("unhandledRejection", (reason) => {
    if (limiter.admit("unhandledRejection", { linesMax: 10, windowMs: 10_000 }) === undefined) return;
    log.error({ err: reason }, "a promise was rejected and nobody awaited it; the worker goes on");
  });
  process.on("uncaughtException", (error) => {
    log.error({ err: error }, "an error was thrown where nobody could catch it; the worker stops");
    onFatal(error);
  });
}

/** The connections that `ctx.transaction` of all handlers shares; the engine has its own. */
function createHandlerPool(env: WorkerEnv, handlers: readonly Handler[], log: Logger): mysql.Pool {
  const slots = handlers.reduce((sum, handler) => sum + effectiveSettings(handler.settings, {}).concurrency, 0);
  const connectionLimit = env.handlerConnections ?? Math.min(slots, HANDLER_CONNECTIONS_MAX);
  if (connectionLimit < slots) {
    log.info(
      { handlerConnections: connectionLimit, slots },
      "more handlers may run at once than have a connection for ctx.transaction; the others wait (REDRIVE_HANDLER_CONNECTIONS)",
    );
  }
  return mysql.createPool({
    ...env.connection,
    connectionLimit,
    charset: "utf8mb4",
    timezone: "Z",
    supportBigNumbers: true,
    idleTimeout: 60_000,
  });
}

async function listen(env: WorkerEnv, log: Logger, routes: ReturnType<typeof workerRoutes>): Promise<HttpServer> {
  try {
    return await startHttpServer({ host: env.host, port: env.port, routes, log });
  } catch (error) {
    throw new Error(describeListenError(error, env), { cause: error });
  }
}
