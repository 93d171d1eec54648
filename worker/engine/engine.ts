import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { Database } from "../../db/client.ts";
import { crashPoint } from "../../db/crash-points.ts";
import { settingsOfPool } from "../../db/connection-options.ts";
import type { WorkerState } from "../../db/schema/worker.ts";
import { CommitDispatcher } from "./commit-dispatcher.ts";
import { COMPLETION_BACKLOG_MAX, CompletionBuffer } from "./completion-buffer.ts";
import {
  type EngineConfig,
  engineConfig,
  type EngineOptions,
  type ServiceDatabase,
  type TransactionOf,
} from "./config.ts";
import { assertDatabaseUsable } from "./database-checks.ts";
import { DatabaseClock } from "./database-clock.ts";
import { DatabaseHealth } from "./database-health.ts";
import type { Engine, EngineHealth, StopReport } from "./engine-api.ts";
import type { EnqueueTask, EnqueueVerdict } from "./enqueue.ts";
import { Enqueuer } from "./enqueuer.ts";
import { RedriveError } from "./errors.ts";
import { EngineEvents, type EngineEventMap, type EngineEventName } from "./events.ts";
import { EventTypePool } from "./event-type-pool.ts";
import { type EventTypeRuntime, settingsOfHandler } from "./event-type-runtime.ts";
import { HeldClaims } from "./held-claims.ts";
import type { Handler } from "./handler.ts";
import { Liveness } from "./liveness.ts";
import { hostAddress } from "./host-address.ts";
import { MetricsRecorder } from "./metrics-recorder.ts";
import { Poller } from "./poller.ts";
import { Recycler } from "./recycler.ts";
import { ResultWriter, WRITE_BACKLOG_MAX } from "./result-writer.ts";
import { Runner } from "./runner.ts";
import { shutDown } from "./shutdown.ts";
import { TaskIntake } from "./task-intake.ts";
import { SelfCheck } from "./self-check.ts";
import { poolOf, type TransactionRunner, transactionRunner } from "./service-transactions.ts";
import { SettingsSync } from "./settings-sync.ts";
import type { TransactionHandle } from "./transaction-handle.ts";
import { ENGINE_VERSION } from "./version.ts";

/** Claimed tasks that wait longer than this for a slot go back to the table. */
const STALLED_MS = 2_000;
const SELF_CHECK_MS = 5_000;

/**
 * An engine over the service's own database. Has no effect outside itself until `start`; several may live in one process.
 * @throws RedriveError INVALID_OPTION naming every problem.
 */
export function createEngine<Source extends ServiceDatabase>(
  options: EngineOptions<Source>,
): Engine<TransactionOf<Source>> {
  return new LocalEngine<TransactionOf<Source>>(options);
}

class LocalEngine<Tx> implements Engine<Tx> {
  readonly owner: string;
  readonly #config: EngineConfig;
  readonly #database: Database;
  readonly #transactions: TransactionRunner;
  readonly #events = new EngineEvents();
  readonly #held = new HeldClaims();
  readonly #types = new Map<string, EventTypeRuntime>();
  readonly #health: DatabaseHealth;
  readonly #liveness: Liveness;
  readonly #writer: ResultWriter;
  readonly #completions: CompletionBuffer;
  readonly #runner: Runner;
  readonly #settings: SettingsSync;
  readonly #recycler: Recycler;
  readonly #selfCheck: SelfCheck;
  readonly #metrics: MetricsRecorder;
  readonly #enqueuer: Enqueuer;
  readonly #commits: CommitDispatcher;
  readonly #intake: TaskIntake;
  readonly #claimer: { readonly owner: string; readonly ip: string };
  #state: EngineHealth["state"] = "new";
  #starting: Promise<void> | undefined;
  #stopping: Promise<StopReport> | undefined;

  constructor(options: EngineOptions) {
    const config = engineConfig(options);
    const { clock, log, random } = config;
    this.#config = config;
    this.#transactions = transactionRunner(options.database);
    const host = hostname();
    const ip = hostAddress();
    this.owner = `${host.replace(/[^\w.-]/g, "").slice(0, 30)}-${process.pid}-${randomBytes(6).toString("hex")}`;
    this.#claimer = { owner: this.owner, ip };
    const database = new Database({
      connection: options.connection ?? settingsOfPool(poolOf(options.database)),
      zone: config.sessionZone,
      connectionLimit: config.connections,
    });
    this.#database = database;
    const events = this.#events;
    const owner = this.owner;
    const held = this.#held;
    const types = this.#types;
    const health = new DatabaseHealth(clock, events);
    const databaseClock = new DatabaseClock(clock);
    this.#health = health;
    this.#liveness = new Liveness(
      database,
      {
        entry: {
          owner,
          host,
          ip,
          pid: process.pid,
          version: ENGINE_VERSION,
          deadAfterMs: config.deadAfterMs,
          eventTypes: config.handlers.map((handler) => handler.eventType),
        },
        beatIntervalMs: config.beatIntervalMs,
        deadAfterMs: config.deadAfterMs,
        blockedAfterMs: config.blockedAfterMs,
      },
      health,
      log,
    );
    this.#writer = new ResultWriter({ database, owner, held, events, health, clock });
    this.#completions = new CompletionBuffer((batch) => this.#writer.complete(batch), config.completionDelayMs, clock);
    this.#runner = new Runner({
      attempt: {
        database,
        // What a handler enqueues in its own transaction runs after its commit like any other.
        transactions: { run: (work, isolation) => this.#commits.run(this.#transactions, work, isolation) },
        owner,
        clock,
        health,
        log,
      },
      writer: this.#writer,
      completions: this.#completions,
      events,
      random,
      errorBytesMax: config.errorBytesMax,
      databaseNowMs: () => databaseClock.nowMs(),
      isCutOff: () => !this.#liveness.isAlive,
    });
    for (const handler of config.handlers) types.set(handler.eventType, this.#runtimeOf(handler));
    this.#settings = new SettingsSync({
      database,
      owner,
      clock,
      events,
      log,
      intervalMs: config.syncIntervalMs,
      types,
      databaseClock,
      state: () => this.#workerState,
    });
    this.#recycler = new Recycler({
      database,
      owner,
      liveness: this.#liveness,
      health,
      clock,
      events,
      intervalMs: config.recycleIntervalMs,
      foreignAfterMs: config.foreignAfterMs,
      settleMs: Math.min(config.deadAfterMs / 2, 2.5 * config.beatIntervalMs),
      onRecycled: (eventType) => types.get(eventType)?.poller.poke(),
    });
    this.#selfCheck = new SelfCheck({
      database,
      owner,
      held,
      clock,
      events,
      intervalMs: SELF_CHECK_MS,
      settledMs: SELF_CHECK_MS,
      eventTypes: () => [...types.keys()],
      onReleased: (eventType) => types.get(eventType)?.poller.poke(),
      upkeep: () => this.#upkeep(),
    });
    this.#metrics = new MetricsRecorder(database, owner, clock, events);
    this.#intake = new TaskIntake({
      database,
      claimer: this.#claimer,
      held,
      types,
      runner: this.#runner,
      writer: this.#writer,
      health,
      events,
      random,
      isRunning: () => this.#state === "running",
      lapses: () => this.#liveness.lapses,
      holdOffMs: (runtime) => this.#holdOffMs(runtime),
    });
    this.#commits = new CommitDispatcher({
      database,
      owner,
      held,
      types,
      writer: this.#writer,
      health,
      events,
      clock,
      isEager: config.eager,
      mayRun: () => this.#state === "running" && this.#liveness.isAlive,
      lapses: () => this.#liveness.lapses,
    });
    this.#enqueuer = new Enqueuer({
      owner,
      ip,
      origin: config.origin ?? host.slice(0, 64),
      zone: config.sessionZone,
      payloadBytesMax: config.payloadBytesMax,
      held,
      clock: config.clock,
      databaseNowMs: () => databaseClock.nowMs(),
      types,
      settingsOf: (eventType) => this.#settings.settingsOf(eventType),
      mayRunEagerly: (runtime) => this.#mayRunEagerly(runtime),
    });
    this.#liveness.onLapse = () => {
      this.#runner.abortAll("lapsed");
      this.#runner.abandon([...types.values()].flatMap(({ pool }) => pool.takeQueued()));
    };
    const pokeAll = (): void => {
      for (const { poller } of types.values()) poller.poke();
    };
    // Whichever comes last: pollers wait for both, a database that answers and a beat that holds.
    this.#liveness.onRevival = pokeAll;
    events.on("recovered", pokeAll);
    events.on("rescheduled", (event) => types.get(event.eventType)?.poller.dueIn(event.delayMs));
    events.on("released", (event) => {
      const poller = types.get(event.eventType)?.poller;
      if (event.delayMs === undefined) poller?.sweepNext();
      else poller?.dueIn(event.delayMs);
    });
    events.on("snoozed", (event) => types.get(event.eventType)?.poller.dueIn(event.delayMs));
  }

  async start(): Promise<void> {
    const state = this.#starting ? "starting" : this.#state;
    if (state !== "new") {
      throw new RedriveError("ENGINE_STATE", `the engine is ${state}; make a new one to start again`);
    }
    this.#starting = this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    await assertDatabaseUsable(this.#database, this.#config.payloadBytesMax);
    // Can be done again; the beat comes last, so that a start which fails leaves nothing running.
    await this.#settings.register();
    crashPoint("types.registered");
    await this.#liveness.start();
    this.#state = "running";
    this.#settings.start(this.#config.syncIntervalMs);
    this.#metrics.start(1_000);
    this.#selfCheck.start(SELF_CHECK_MS);
    if (this.#config.poll) {
      this.#recycler.start();
      for (const { poller } of this.#types.values()) poller.start();
    }
  }

  stop(options: { readonly graceMs?: number } = {}): Promise<StopReport> {
    this.#stopping ??= this.#stop(options.graceMs ?? 30_000);
    return this.#stopping;
  }

  async transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.#commits.run(this.#transactions, ({ tx }) => work(tx as Tx));
  }

  async enqueue(tx: TransactionHandle, task: EnqueueTask): Promise<EnqueueVerdict> {
    const [verdict] = await this.enqueueMany(tx, [task]);
    if (!verdict) throw new RedriveError("ENGINE_STATE", "an enqueue ended without a verdict");
    return verdict;
  }

  async enqueueMany(tx: TransactionHandle, tasks: readonly EnqueueTask[]): Promise<EnqueueVerdict[]> {
    return this.#enqueuer.enqueue(tx, tasks, () => this.#commits.hooksOf(tx));
  }

  async afterCommit(tx: TransactionHandle): Promise<void> {
    const hooks = this.#commits.take(tx);
    if (hooks) await this.#commits.committed(hooks);
  }

  afterRollback(tx: TransactionHandle): void {
    const hooks = this.#commits.take(tx);
    if (hooks) this.#commits.forget(hooks);
  }

  async wake(ids: readonly string[]): Promise<{ readonly claimed: number }> {
    return { claimed: await this.#intake.wake(ids) };
  }

  health(): EngineHealth {
    const pools: Record<string, EngineHealth["pools"][string]> = {};
    for (const [name, { pool, isPaused }] of this.#types) {
      pools[name] = { concurrency: pool.concurrency, running: pool.running, queued: pool.queued, isPaused };
    }
    const hasBeaten = this.#state === "running" || this.#state === "draining";
    return {
      state: this.#state,
      isAlive: this.#liveness.isAlive,
      isReadOnly: this.#health.isReadOnly,
      sinceBeatMs: hasBeaten ? this.#liveness.sinceBeatMs : undefined,
      lastError: this.#health.lastError,
      pools,
    };
  }

  on<Name extends EngineEventName>(name: Name, listener: (event: EngineEventMap[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  get #workerState(): WorkerState {
    return this.#state === "draining" ? "draining" : "running";
  }

  #runtimeOf(handler: Handler): EventTypeRuntime {
    const { clock, random } = this.#config;
    const settings = settingsOfHandler(handler);
    const pool: EventTypePool = new EventTypePool(settings, clock, (task, isEager) =>
      this.#runner.run(task, runtime.handler, runtime.settings, isEager),
    );
    const poller = new Poller(
      {
        eventType: handler.eventType,
        claimer: this.#claimer,
        database: this.#database,
        held: this.#held,
        health: this.#health,
        clock,
        events: this.#events,
        random,
        settings: () => runtime.settings,
        holdOffMs: () => this.#holdOffMs(runtime),
        lapses: () => this.#liveness.lapses,
        accept: (tasks, lapses) => this.#intake.accept(runtime, tasks, lapses),
      },
      pool,
    );
    const runtime: EventTypeRuntime = { handler, pool, poller, settings, isPaused: false };
    return runtime;
  }

  #holdOffMs(runtime: EventTypeRuntime): number {
    if (this.#state !== "running" || runtime.isPaused || !this.#liveness.isAlive) return Number.POSITIVE_INFINITY;
    const isBehind = this.#completions.backlog > COMPLETION_BACKLOG_MAX || this.#writer.backlog > WRITE_BACKLOG_MAX;
    return isBehind ? 5 : 0;
  }

  #mayRunEagerly(runtime: EventTypeRuntime): boolean {
    return this.#config.eager && this.#holdOffMs(runtime) === 0 && !this.#health.isInTrouble;
  }

  /** Places held by transactions that stay open go back; tasks that wait behind slow ones go back to the table. */
  async #upkeep(): Promise<void> {
    this.#commits.expire();
    for (const { pool } of this.#types.values()) {
      const stalled = pool.takeStalled(STALLED_MS);
      if (stalled.length === 0) continue;
      this.#runner.dismiss(stalled);
      await this.#writer.release(stalled, "stalled");
    }
  }

  async #stop(graceMs: number): Promise<StopReport> {
    // A start under way ends first, so that nothing comes to life behind the stop.
    await this.#starting?.catch(() => undefined);
    if (this.#state === "new") {
      this.#state = "stopped";
      await this.#database.close();
      return { finished: 0, released: 0, aborted: 0 };
    }
    this.#state = "draining";
    const report = await shutDown(
      {
        types: this.#types,
        loops: [this.#recycler, this.#settings, this.#selfCheck],
        settings: this.#settings,
        runner: this.#runner,
        writer: this.#writer,
        completions: this.#completions,
        metrics: this.#metrics,
        liveness: this.#liveness,
        database: this.#database,
        clock: this.#config.clock,
      },
      graceMs,
    );
    this.#state = "stopped";
    return report;
  }
}
