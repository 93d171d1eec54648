import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { Database, retryContention } from "../../db/client.ts";
import { settingsOfPool } from "../../db/connection-options.ts";
import { effectiveSettings, type EventTypeSettings, parseStoredSettings } from "../../db/event-type-settings.ts";
import { migrationState } from "../../db/migrate/migration-state.ts";
import { BATCH_ROWS_MAX, type ClaimedTask, claimTasksById } from "../../db/queries/claim-tasks.ts";
import { readTaskTypes } from "../../db/queries/find-task-id.ts";
import { readOwnedTasks } from "../../db/queries/owned-tasks.ts";
import { assertServerUsable } from "../../db/server-info.ts";
import type { WorkerState } from "../../db/schema/worker.ts";
import { CommitHookRegistry, type CommitHooks, watchSavepoints } from "./after-commit.ts";
import { COMPLETION_BACKLOG_MAX, CompletionBuffer } from "./completion-buffer.ts";
import {
  type EngineConfig,
  engineConfig,
  type EngineOptions,
  type ServiceDatabase,
  type TransactionOf,
} from "./config.ts";
import { DatabaseHealth } from "./database-health.ts";
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
import { ResultWriter } from "./result-writer.ts";
import { Runner } from "./runner.ts";
import { SelfCheck } from "./self-check.ts";
import { poolOf, type TransactionRunner, transactionRunner } from "./service-transactions.ts";
import { SettingsSync } from "./settings-sync.ts";
import type { TransactionHandle } from "./transaction-handle.ts";
import { ENGINE_VERSION } from "./version.ts";

/** How the engine is, for health pages. */
export interface EngineHealth {
  readonly state: "new" | "running" | "draining" | "stopped";
  /** The database has confirmed this process as alive recently enough that its claims hold. */
  readonly isAlive: boolean;
  readonly isReadOnly: boolean;
  /** Milliseconds since the last confirmed beat; undefined before the first. */
  readonly sinceBeatMs: number | undefined;
  readonly lastError: string | undefined;
  readonly pools: Readonly<Record<string, { concurrency: number; running: number; queued: number; isPaused: boolean }>>;
}

export interface StopReport {
  /** Attempts that ended within the grace time. */
  readonly finished: number;
  /** Claims given back unrun. */
  readonly released: number;
  /** Attempts that were aborted at the end of the grace time; their tasks run elsewhere. */
  readonly aborted: number;
}

export interface Engine<Tx = unknown> {
  /** Names this run of this engine; never used twice. */
  readonly owner: string;
  /** Checks the database, registers types and process, starts the loops. @throws RedriveError DATABASE_UNUSABLE listing all problems. */
  start(): Promise<void>;
  /**
   * Takes no new work, gives back what has not begun, waits up to `graceMs` (default 30,000) for running handlers, aborts
   * the rest, writes every result, leaves the registry and closes its connections. A second call gives the same promise.
   */
  stop(options?: { readonly graceMs?: number }): Promise<StopReport>;
  /**
   * Runs `work` in one transaction of the service's database; right after its commit the tasks enqueued in it run. An
   * error rolls back and is rethrown as it is. Never repeated by itself: after an error of COMMIT the outcome is unknown.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Creates a task in the caller's transaction. A live task with the same key is not created again: `inserted` is false.
   * @throws EnqueueError before anything is sent, if the task is not valid; errors of the database as they are.
   */
  enqueue(tx: TransactionHandle, task: EnqueueTask): Promise<EnqueueVerdict>;
  /** Creates many tasks with few statements; one verdict per task, in order. One wrong task: none is created. */
  enqueueMany(tx: TransactionHandle, tasks: readonly EnqueueTask[]): Promise<EnqueueVerdict[]>;
  /** For transactions the service runs itself: call it after their commit to run now what was enqueued in them. */
  afterCommit(tx: TransactionHandle): Promise<void>;
  /** Forgets what was enqueued in a transaction that was rolled back. */
  afterRollback(tx: TransactionHandle): void;
  /** Runs pending tasks now if they are due and this process has room; the rest is left to the poller. At most 1,000 ids. */
  wake(ids: readonly string[]): Promise<{ readonly claimed: number }>;
  health(): EngineHealth;
  /** Listens to what the engine reports; the returned function ends it. */
  on<Name extends EngineEventName>(name: Name, listener: (event: EngineEventMap[Name]) => void): () => void;
}

/** Born-claimed places are given back when their transaction stays open for so long. */
const RESERVATION_MS = 5_000;
/** Claimed tasks that wait longer than this for a slot go back to the table. */
const STALLED_MS = 2_000;
const SELF_CHECK_MS = 5_000;
const STOP_WRITE_MS = 5_000;

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
  readonly #hooks = new CommitHookRegistry();
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
  readonly #claimer: { readonly owner: string; readonly ip: string };
  #state: EngineHealth["state"] = "new";
  #stopping: Promise<StopReport> | undefined;
  #unknownLookupMs = Number.NEGATIVE_INFINITY;

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
      attempt: { database, transactions: this.#transactions, owner, clock, health, log },
      writer: this.#writer,
      completions: this.#completions,
      events,
      random,
      errorBytesMax: config.errorBytesMax,
      databaseNowMs: () => Date.now(),
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
    this.#enqueuer = new Enqueuer({
      owner,
      ip,
      origin: config.origin ?? host.slice(0, 64),
      zone: config.sessionZone,
      payloadBytesMax: config.payloadBytesMax,
      held,
      types,
      settingsOf: (eventType) => this.#settingsOfForeignType(eventType),
      mayRunEagerly: (runtime) => this.#mayRunEagerly(runtime),
    });
    this.#liveness.onLapse = () => this.#runner.abortAll("lapsed");
    events.on("recovered", () => {
      for (const { poller } of types.values()) poller.poke();
    });
    events.on("rescheduled", (event) => types.get(event.eventType)?.poller.dueIn(event.delayMs));
    events.on("snoozed", (event) => types.get(event.eventType)?.poller.dueIn(event.delayMs));
  }

  async start(): Promise<void> {
    if (this.#state !== "new")
      throw new RedriveError("ENGINE_STATE", `the engine is ${this.#state}; make a new one to start again`);
    await this.#assertUsable();
    await this.#liveness.start();
    await this.#settings.register();
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
    let hooks: CommitHooks | undefined;
    try {
      const result = await this.#transactions.run(async ({ tx, connection }) => {
        const opened = this.#hooks.open(this.#config.clock.monotonicMs(), connection === undefined);
        hooks = opened;
        this.#hooks.bind(tx as TransactionHandle, opened);
        const unwatch =
          connection &&
          watchSavepoints(connection, () => {
            opened.mustVerify = true;
          });
        try {
          return await work(tx as Tx);
        } finally {
          unwatch?.();
        }
      });
      if (hooks) await this.#committed(hooks);
      return result;
    } catch (error) {
      // Rolled back, or COMMIT's answer was lost: if rows exist after all, the self-check and the poller find them.
      if (hooks) this.#forget(hooks);
      throw error;
    }
  }

  async enqueue(tx: TransactionHandle, task: EnqueueTask): Promise<EnqueueVerdict> {
    const [verdict] = await this.enqueueMany(tx, [task]);
    if (!verdict) throw new RedriveError("ENGINE_STATE", "an enqueue ended without a verdict");
    return verdict;
  }

  async enqueueMany(tx: TransactionHandle, tasks: readonly EnqueueTask[]): Promise<EnqueueVerdict[]> {
    return this.#enqueuer.enqueue(tx, tasks, this.#hooks.of(tx, this.#config.clock.monotonicMs()));
  }

  async afterCommit(tx: TransactionHandle): Promise<void> {
    const hooks = this.#hooks.take(tx);
    if (hooks) await this.#committed(hooks);
  }

  afterRollback(tx: TransactionHandle): void {
    const hooks = this.#hooks.take(tx);
    if (hooks) this.#forget(hooks);
  }

  async wake(ids: readonly string[]): Promise<{ readonly claimed: number }> {
    if (ids.length > 1_000) throw new RedriveError("INVALID_OPTION", `wake takes at most 1000 ids, not ${ids.length}`);
    if (ids.length === 0 || this.#state !== "running") return { claimed: 0 };
    const typeById = await this.#database.use((session) => readTaskTypes(session, ids));
    let claimed = 0;
    for (const [eventType, runtime] of this.#types) {
      const ofType = ids.filter((id) => typeById.get(id) === eventType);
      if (ofType.length === 0) continue;
      const taken = await this.#claimById(runtime, ofType.slice(0, Math.min(runtime.pool.room, BATCH_ROWS_MAX)));
      claimed += taken;
      if (taken < ofType.length) runtime.poller.poke();
    }
    return { claimed };
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

  async #assertUsable(): Promise<void> {
    await assertServerUsable(this.#database).catch((error: unknown) => {
      throw error instanceof RedriveError
        ? error
        : new RedriveError("DATABASE_UNUSABLE", error instanceof Error ? error.message : String(error), {
            cause: error,
          });
    });
    const state = await this.#database.use((session) => migrationState(session));
    if (!state.upToDate) {
      throw new RedriveError(
        "DATABASE_UNUSABLE",
        state.newer
          ? `the database's schema (version ${state.applied}) is newer than this code (version ${state.expected}); deploy the newer code`
          : `the database's schema is at version ${state.applied ?? "none"}, this code needs ${state.expected}; run: npm run redrive -- migrate`,
      );
    }
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
        accept: (tasks) => this.#accept(runtime, tasks),
      },
      pool,
    );
    const runtime: EventTypeRuntime = { handler, pool, poller, settings, isPaused: false };
    return runtime;
  }

  #holdOffMs(runtime: EventTypeRuntime): number {
    if (this.#state !== "running" || runtime.isPaused || !this.#liveness.isAlive) return Number.POSITIVE_INFINITY;
    return this.#completions.backlog > COMPLETION_BACKLOG_MAX ? 5 : 0;
  }

  #mayRunEagerly(runtime: EventTypeRuntime): boolean {
    return this.#config.eager && this.#holdOffMs(runtime) === 0 && !this.#health.isInTrouble;
  }

  /** Takes over claimed tasks: suspects one at a time, the rest into the pool; while stopping all are given back. */
  #accept(runtime: EventTypeRuntime, tasks: readonly ClaimedTask[]): void {
    if (this.#state !== "running") {
      void this.#writer.release(tasks, "shutdown");
      return;
    }
    const { admitted, waiting } = this.#runner.admit(tasks, runtime.settings.maxRecycles);
    for (const task of admitted) runtime.pool.submit(task);
    if (waiting.length > 0) {
      const delayMs = Math.min(60_000, Math.ceil(1_000 * (1 + this.#config.random() * waiting.length)));
      void this.#writer.release(waiting, "runs alone later", delayMs).then(() => runtime.poller.dueIn(delayMs));
    }
  }

  async #claimById(runtime: EventTypeRuntime, ids: readonly string[]): Promise<number> {
    if (ids.length === 0 || this.#holdOffMs(runtime) > 0) return 0;
    const { eventType } = runtime.handler;
    let claimed: ClaimedTask[] = [];
    await retryContention(() =>
      this.#database.transaction(async (session) => {
        for (const task of claimed) this.#held.remove(task);
        claimed = await claimTasksById(session, this.#claimer, { eventType, ids });
        for (const task of claimed) this.#held.add(task);
      }),
    ).catch((error: unknown) => {
      for (const task of claimed) this.#held.remove(task);
      this.#health.noteError(error);
      throw error;
    });
    this.#events.emit("claimed", { eventType, count: claimed.length, limit: ids.length });
    this.#accept(runtime, claimed);
    return claimed.length;
  }

  async #committed(hooks: CommitHooks): Promise<void> {
    this.#hooks.close(hooks);
    this.#report(hooks);
    const { dispatches } = hooks;
    if (dispatches.length === 0) return;
    if (hooks.isExpired || this.#state !== "running" || !this.#liveness.isAlive) {
      this.#giveBack(hooks);
      return;
    }
    if (!hooks.mustVerify) {
      for (const { task, runtime } of dispatches) runtime.pool.submitReserved(task);
      return;
    }
    const ids = dispatches.map((one) => one.task.id);
    let owned: Set<string>;
    try {
      const rows = await this.#database.use((session) => readOwnedTasks(session, { owner: this.owner, ids }));
      owned = new Set(rows.map((row) => row.id));
    } catch (error) {
      this.#health.noteError(error);
      this.#forget(hooks);
      return;
    }
    for (const { task, runtime } of dispatches) {
      if (owned.has(task.id)) runtime.pool.submitReserved(task);
      else {
        this.#held.remove(task);
        runtime.pool.unreserve();
      }
    }
  }

  #report(hooks: CommitHooks): void {
    for (const [eventType, count] of hooks.countByType) {
      const eager = hooks.dispatches.filter((one) => one.task.eventType === eventType).length;
      this.#events.emit("enqueued", { eventType, count, eager });
    }
    for (const [eventType, count] of hooks.pendingByType) {
      const runtime = this.#types.get(eventType);
      if (!runtime) continue;
      if (this.#config.eager && !runtime.isPaused) this.#events.emit("rejected", { eventType, count });
      runtime.poller.poke();
    }
  }

  /** The rows exist and are this owner's, but may not run here now: pending again, the poller runs them. */
  #giveBack(hooks: CommitHooks): void {
    const tasks = hooks.dispatches.map((one) => one.task);
    if (!hooks.isExpired) for (const { runtime } of hooks.dispatches) runtime.pool.unreserve();
    const runtimes = new Set(hooks.dispatches.map((one) => one.runtime));
    void this.#writer.release(tasks, hooks.isExpired ? "late commit" : "not running").then(() => {
      for (const { poller } of runtimes) poller.poke();
    });
  }

  #forget(hooks: CommitHooks): void {
    this.#hooks.close(hooks);
    for (const { task, runtime } of hooks.dispatches) {
      this.#held.remove(task);
      if (!hooks.isExpired) runtime.pool.unreserve();
    }
  }

  /** Places held by transactions that stay open go back; tasks that wait behind slow ones go back to the table. */
  async #upkeep(): Promise<void> {
    for (const hooks of this.#hooks.openSince(this.#config.clock.monotonicMs() - RESERVATION_MS)) {
      hooks.isExpired = true;
      for (const { task, runtime } of hooks.dispatches) {
        this.#held.remove(task);
        runtime.pool.unreserve();
      }
    }
    for (const { pool } of this.#types.values()) {
      const stalled = pool.takeStalled(STALLED_MS);
      if (stalled.length === 0) continue;
      this.#runner.dismiss(stalled);
      await this.#writer.release(stalled, "stalled");
    }
  }

  /** Settings of a type without a handler here; looks it up anew at most once a second. */
  async #settingsOfForeignType(eventType: string): Promise<EventTypeSettings | undefined> {
    let row = this.#settings.registered(eventType);
    const now = this.#config.clock.monotonicMs();
    if (!row && now - this.#unknownLookupMs >= 1_000) {
      this.#unknownLookupMs = now;
      await this.#settings.refresh();
      row = this.#settings.registered(eventType);
    }
    if (!row) return undefined;
    return effectiveSettings(
      parseStoredSettings(row.codeSettings) ?? {},
      parseStoredSettings(row.overrideSettings) ?? {},
    );
  }

  async #stop(graceMs: number): Promise<StopReport> {
    if (this.#state === "new") {
      this.#state = "stopped";
      await this.#database.close();
      return { finished: 0, released: 0, aborted: 0 };
    }
    this.#state = "draining";
    const { clock } = this.#config;
    const pollers = [...this.#types.values()].map(({ poller }) => poller.stop());
    await Promise.all([...pollers, this.#recycler.stop(), this.#settings.stop(), this.#selfCheck.stop()]);
    // From here on nothing enters the pools: what has not begun goes back at once.
    const queued = [...this.#types.values()].flatMap(({ pool }) => pool.takeQueued());
    const releasing = this.#releaseInBatches(queued);
    void this.#settings.report().catch(() => undefined);
    const before = this.#runner.running;
    const pools = [...this.#types.values()].map(({ pool }) => pool.whenIdle());
    await withinMs(Promise.all(pools), graceMs, clock.after);
    const aborted = this.#runner.abortAll("shutdown");
    await Promise.all(pools);
    await withinMs(
      Promise.all([releasing, this.#completions.flush(), this.#writer.settle()]),
      STOP_WRITE_MS,
      clock.after,
    );
    this.#writer.giveUp();
    await Promise.all([this.#completions.flush(), this.#writer.settle()]);
    await this.#metrics.stop();
    await this.#metrics.flush().catch(() => undefined);
    await this.#liveness.stop().catch(() => undefined);
    await this.#database.close();
    this.#state = "stopped";
    return { finished: before - aborted, released: queued.length, aborted };
  }

  async #releaseInBatches(tasks: readonly ClaimedTask[]): Promise<void> {
    for (let start = 0; start < tasks.length; start += BATCH_ROWS_MAX) {
      await this.#writer.release(tasks.slice(start, start + BATCH_ROWS_MAX), "shutdown");
    }
  }
}

async function withinMs(
  work: Promise<unknown>,
  ms: number,
  after: (ms: number, action: () => void) => () => void,
): Promise<void> {
  let cancel: () => void = () => undefined;
  const limit = new Promise<void>((resolve) => {
    cancel = after(ms, resolve);
  });
  await Promise.race([work, limit]);
  cancel();
}
