import type { Connection } from "mysql2/promise";
import type { ClaimedTask } from "../../db/queries/claim-tasks.ts";
import type { EventTypeRuntime } from "./event-type-runtime.ts";
import { transactionKey, type TransactionHandle } from "./transaction-handle.ts";

/** A task that was born claimed in an open transaction and holds a reserved place. */
export interface Dispatch {
  readonly task: ClaimedTask;
  readonly runtime: EventTypeRuntime;
}

/** What is to happen once one transaction has committed. */
export class CommitHooks {
  readonly openedMs: number;
  /** How often this process had been cut off by then. */
  readonly lapses: number;
  dispatches: Dispatch[] = [];
  /** New rows per type. */
  readonly countByType = new Map<string, number>();
  /** Of those, the rows that are due now but found no place here. */
  readonly pendingByType = new Map<string, number>();
  /** Types with new rows that are due later, and the earliest monotonic time at which one of them may be. */
  readonly laterByType = new Map<string, number>();
  /** True once something happened after which an enqueued row may be gone although the transaction commits. */
  mustVerify: boolean;
  /** True once its reserved places were taken away because the transaction stayed open too long. */
  isExpired = false;

  constructor(openedMs: number, lapses: number, mustVerify: boolean) {
    this.openedMs = openedMs;
    this.lapses = lapses;
    this.mustVerify = mustVerify;
  }
}

/** Finds the hooks of a transaction by whatever handle of it the caller holds. */
export class CommitHookRegistry {
  readonly #hooksByTransaction = new WeakMap<object, CommitHooks>();
  readonly #open = new Set<CommitHooks>();

  /** The hooks of a transaction, made on first use; `mustVerify` for those whose commit the engine does not see itself. */
  of(handle: TransactionHandle, nowMs: number, lapses: number): CommitHooks {
    const key = transactionKey(handle);
    let hooks = this.#hooksByTransaction.get(key);
    if (!hooks) {
      hooks = this.open(nowMs, lapses, true);
      this.#hooksByTransaction.set(key, hooks);
    }
    return hooks;
  }

  open(nowMs: number, lapses: number, mustVerify: boolean): CommitHooks {
    const hooks = new CommitHooks(nowMs, lapses, mustVerify);
    this.#open.add(hooks);
    return hooks;
  }

  bind(handle: TransactionHandle, hooks: CommitHooks): void {
    this.#hooksByTransaction.set(transactionKey(handle), hooks);
  }

  /** Takes the hooks of a finished transaction out, so that a reused connection begins anew. */
  take(handle: TransactionHandle): CommitHooks | undefined {
    const key = transactionKey(handle);
    const hooks = this.#hooksByTransaction.get(key);
    this.#hooksByTransaction.delete(key);
    if (hooks) this.#open.delete(hooks);
    return hooks;
  }

  close(hooks: CommitHooks): void {
    this.#open.delete(hooks);
  }

  /** Hooks that were opened before this moment and have not been taken. */
  openSince(beforeMs: number): CommitHooks[] {
    return [...this.#open].filter((hooks) => hooks.openedMs < beforeMs);
  }
}

/** Statements that may undo rows; a procedure may hold any of them. */
const MAY_UNDO = /\b(rollback|call)\b/i;

/**
 * Watches one checked-out connection for anything after which enqueued rows may be gone although its transaction commits:
 * a rollback, whole or to a savepoint, or a statement that failed (a deadlock victim is undone as a whole, also if the
 * caller swallows the error). Sits on the wrapper object that mysql2 makes anew for each checkout; the returned function
 * removes it. Redrive's own statements pass below it: they undo nothing, and enqueue tells itself of one that failed.
 */
export function watchRollbacks(connection: Connection, onDoubt: () => void): () => void {
  const watched = connection as unknown as Record<"query" | "execute" | "rollback", unknown>;
  for (const name of ["query", "execute"] as const) {
    const original = connection[name].bind(connection) as (...args: unknown[]) => Promise<unknown>;
    watched[name] = (...args: unknown[]) => {
      const [first] = args;
      const text = typeof first === "string" ? first : (first as { sql?: unknown } | undefined)?.sql;
      if (typeof text !== "string" || MAY_UNDO.test(text)) onDoubt();
      const running = original(...args);
      running.catch(onDoubt);
      return running;
    };
  }
  const rollback = connection.rollback.bind(connection);
  watched.rollback = () => {
    onDoubt();
    return rollback();
  };
  return () => {
    delete watched.query;
    delete watched.execute;
    delete watched.rollback;
  };
}
