import type { EnqueueTask, EnqueueVerdict } from "./enqueue.ts";
import type { EngineEventMap, EngineEventName } from "./events.ts";
import type { TransactionHandle } from "./transaction-handle.ts";

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
