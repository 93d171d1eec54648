import type { Database } from "../../db/client.ts";
import { crashPoint } from "../../db/crash-points.ts";
import type { ClaimedTask } from "../../db/queries/claim-tasks.ts";
import { readOwnedTasks } from "../../db/queries/owned-tasks.ts";
import { CommitHookRegistry, type CommitHooks, watchRollbacks } from "./after-commit.ts";
import type { Clock } from "./clock.ts";
import type { DatabaseHealth } from "./database-health.ts";
import type { EngineEvents } from "./events.ts";
import type { EventTypeRuntime } from "./event-type-runtime.ts";
import type { HeldClaims } from "./held-claims.ts";
import type { ResultWriter } from "./result-writer.ts";
import type { OpenTransaction, TransactionRunner } from "./service-transactions.ts";
import type { TransactionHandle } from "./transaction-handle.ts";

/** Born-claimed places are given back when their transaction stays open for so long. */
export const RESERVATION_MS = 5_000;

export interface CommitDispatcherParts {
  readonly database: Database;
  readonly owner: string;
  readonly held: HeldClaims;
  readonly types: ReadonlyMap<string, EventTypeRuntime>;
  readonly writer: ResultWriter;
  readonly health: DatabaseHealth;
  readonly events: EngineEvents;
  readonly clock: Clock;
  /** True if new tasks are meant to run in this process right after their commit. */
  readonly isEager: boolean;
  /** True while handlers may be started here. */
  readonly mayRun: () => boolean;
  /** How often this process has been cut off so far. */
  readonly lapses: () => number;
}

/** Starts what was born claimed in a transaction once it has committed, and forgets it if it has not. */
export class CommitDispatcher {
  readonly #parts: CommitDispatcherParts;
  readonly #registry = new CommitHookRegistry();

  constructor(parts: CommitDispatcherParts) {
    this.#parts = parts;
  }

  /** The hooks of a transaction that somebody else runs. */
  hooksOf(handle: TransactionHandle): CommitHooks {
    return this.#registry.of(handle, this.#parts.clock.monotonicMs(), this.#parts.lapses());
  }

  /**
   * Runs a transaction of the service and, right after its commit, what was enqueued in it. An error is rethrown as it
   * is: rolled back, or COMMIT's answer was lost; if rows exist after all, the self-check and the poller find them.
   */
  async run<Result>(
    transactions: TransactionRunner,
    work: (open: OpenTransaction) => Promise<Result>,
    isolation?: "read committed",
  ): Promise<Result> {
    let hooks: CommitHooks | undefined;
    try {
      const result = await transactions.run(async (open) => {
        const { tx, connection } = open;
        const opened = this.#open(tx as TransactionHandle, connection === undefined);
        hooks = opened;
        const unwatch =
          connection &&
          watchRollbacks(connection, () => {
            opened.mustVerify = true;
          });
        try {
          const result = await work(open);
          crashPoint("transaction.worked");
          return result;
        } finally {
          unwatch?.();
        }
      }, isolation);
      crashPoint("transaction.committed");
      if (hooks) await this.committed(hooks);
      return result;
    } catch (error) {
      if (hooks) this.forget(hooks);
      throw error;
    }
  }

  /** New hooks for a transaction that the engine itself runs; `mustVerify` if its statements cannot be watched. */
  #open(handle: TransactionHandle, mustVerify: boolean): CommitHooks {
    const hooks = this.#registry.open(this.#parts.clock.monotonicMs(), this.#parts.lapses(), mustVerify);
    this.#registry.bind(handle, hooks);
    return hooks;
  }

  take(handle: TransactionHandle): CommitHooks | undefined {
    return this.#registry.take(handle);
  }

  /** The transaction has committed: its tasks start now. Never rejects. */
  async committed(hooks: CommitHooks): Promise<void> {
    this.#registry.close(hooks);
    this.#report(hooks);
    const { dispatches } = hooks;
    if (dispatches.length === 0) return;
    crashPoint("eager.begun");
    if (hooks.isExpired || hooks.lapses !== this.#parts.lapses() || !this.#parts.mayRun()) {
      this.#giveBack(hooks);
      return;
    }
    if (!hooks.mustVerify) {
      for (const { task, runtime } of dispatches) runtime.pool.submitReserved(task);
      return;
    }
    const owned = await this.#verify(dispatches.map((one) => one.task));
    if (!owned || hooks.isExpired) {
      this.forget(hooks);
      return;
    }
    for (const { task, runtime } of dispatches) {
      if (owned.has(task.id)) runtime.pool.submitReserved(task);
      else {
        this.#parts.held.remove(task);
        runtime.pool.unreserve();
      }
    }
  }

  /**
   * The transaction was rolled back, or its outcome is unknown: nothing of it runs from memory. Rows that exist after all
   * are found by the self-check and the poller.
   */
  forget(hooks: CommitHooks): void {
    this.#registry.close(hooks);
    for (const { task, runtime } of hooks.dispatches) {
      this.#parts.held.remove(task);
      if (!hooks.isExpired) runtime.pool.unreserve();
    }
  }

  /** Takes the reserved places of transactions back that stay open for too long. */
  expire(): void {
    for (const hooks of this.#registry.openSince(this.#parts.clock.monotonicMs() - RESERVATION_MS)) {
      hooks.isExpired = true;
      // Found by its transaction still; kept no longer than that, for nobody may ever report its end.
      this.#registry.close(hooks);
      for (const { task, runtime } of hooks.dispatches) {
        this.#parts.held.remove(task);
        runtime.pool.unreserve();
      }
    }
  }

  /** Which of the tasks exist, committed, under this owner; undefined if the database cannot say. */
  async #verify(tasks: readonly ClaimedTask[]): Promise<ReadonlySet<string> | undefined> {
    const { database, owner, health } = this.#parts;
    try {
      const ids = tasks.map((task) => task.id);
      const rows = await database.use((session) => readOwnedTasks(session, { owner, ids }));
      return new Set(rows.map((row) => row.id));
    } catch (error) {
      health.noteError(error);
      return undefined;
    }
  }

  #report(hooks: CommitHooks): void {
    const { clock, events, types, isEager } = this.#parts;
    for (const [eventType, count] of hooks.countByType) {
      const eager = hooks.dispatches.filter((one) => one.task.eventType === eventType).length;
      events.emit("enqueued", { eventType, count, eager });
    }
    for (const [eventType, count] of hooks.pendingByType) {
      const runtime = types.get(eventType);
      if (!runtime) continue;
      if (isEager && !runtime.isPaused) events.emit("rejected", { eventType, count });
      runtime.poller.poke();
    }
    const nowMs = clock.monotonicMs();
    for (const [eventType, dueMs] of hooks.laterByType) {
      const poller = types.get(eventType)?.poller;
      if (dueMs <= nowMs) poller?.poke();
      else poller?.dueIn(dueMs - nowMs);
    }
  }

  /** The rows exist and are this owner's, but may not run here now: pending again, the poller runs them. */
  #giveBack(hooks: CommitHooks): void {
    const tasks = hooks.dispatches.map((one) => one.task);
    if (!hooks.isExpired) for (const { runtime } of hooks.dispatches) runtime.pool.unreserve();
    const runtimes = new Set(hooks.dispatches.map((one) => one.runtime));
    void this.#parts.writer.release(tasks, hooks.isExpired ? "late commit" : "not running").then(() => {
      for (const { poller } of runtimes) poller.poke();
    });
  }
}
