import type { TaskStatus } from "../../db/schema/task-status.ts";

/** What the laws speak of in a task's row; instants in milliseconds. */
export interface ModelTask {
  readonly id: string;
  readonly bizKey: string;
  readonly maxRetryCount: number;
  readonly status: TaskStatus;
  readonly retryCount: number;
  readonly recycleCount: number;
  readonly claimNo: number;
  readonly owner: string | null;
  readonly dueMs: number;
  readonly updatedMs: number;
}

/** A claim as its holder remembers it, whether or not it still holds it. */
export interface ModelClaim {
  readonly id: string;
  readonly claimNo: number;
  readonly owner: string;
  readonly retryCount: number;
}

/** A running task as a recycler saw it. */
export type ModelSighting = Pick<ModelTask, "id" | "claimNo" | "owner" | "updatedMs" | "retryCount" | "recycleCount">;

export const MODEL_DEAD_AFTER_MS = 15_000;
export const MODEL_FOREIGN_AFTER_MS = 180_000;
export const MODEL_MAX_RECYCLES = 3;

/** How the holder of a claim ends it. */
export type ModelEnd =
  | { readonly kind: "succeed" | "cancel" }
  | { readonly kind: "retry"; readonly delayMs: number }
  | { readonly kind: "fail"; readonly counted: boolean }
  | { readonly kind: "snooze"; readonly delayMs: number }
  | { readonly kind: "release"; readonly delayMs: number | undefined };

/**
 * The state machine of a task without any database: what each statement must change and answer. It knows nothing of
 * SQL, locks or rows that are not committed.
 */
export class TaskModel {
  nowMs: number;
  readonly tasks = new Map<string, ModelTask>();
  /** Last beat of every registered owner, dead or alive. */
  readonly beats = new Map<string, number>();
  /** Tasks that an open claim holds: others pass them by. */
  readonly locked = new Set<string>();

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  /** All tasks in the order of their ids. */
  get rows(): ModelTask[] {
    return [...this.tasks.values()].sort((one, other) => compareIds(one.id, other.id));
  }

  task(id: string): ModelTask {
    const found = this.tasks.get(id);
    if (!found) throw new Error(`the model has no task ${id}`);
    return found;
  }

  commit(tasks: readonly ModelTask[]): void {
    for (const task of tasks) this.tasks.set(task.id, task);
  }

  /** The tasks a claim of up to `limit` must take, in order. */
  claimable(limit: number): ModelTask[] {
    return this.rows
      .filter((task) => this.#isClaimable(task))
      .sort((one, other) => one.dueMs - other.dueMs || compareIds(one.id, other.id))
      .slice(0, limit);
  }

  claimableById(id: string): ModelTask[] {
    return this.rows.filter((task) => task.id === id && this.#isClaimable(task));
  }

  claim(ids: readonly string[], owner: string): void {
    for (const id of ids) this.#write(id, { status: "running", owner, claimNo: this.task(id).claimNo + 1 });
  }

  isHeld(claim: ModelClaim): boolean {
    const task = this.task(claim.id);
    return task.status === "running" && task.owner === claim.owner && task.claimNo === claim.claimNo;
  }

  /** Ends a claim. False: it is no longer held, and nothing has changed. */
  end(claim: ModelClaim, end: ModelEnd): boolean {
    if (!this.isHeld(claim)) return false;
    const task = this.task(claim.id);
    const { id, retryCount } = task;
    switch (end.kind) {
      case "succeed":
        this.#write(id, { status: "succeeded" });
        break;
      case "cancel":
        this.#write(id, { status: "cancelled" });
        break;
      case "fail":
        this.#write(id, { ...this.#failedNow(), retryCount: retryCount + (end.counted ? 1 : 0) });
        break;
      case "retry":
        this.#write(id, { ...this.#pendingIn(end.delayMs), retryCount: retryCount + 1 });
        break;
      case "snooze":
        this.#write(id, this.#pendingIn(end.delayMs));
        break;
      case "release":
        this.#write(id, end.delayMs === undefined ? { status: "pending", owner: null } : this.#pendingIn(end.delayMs));
    }
    return true;
  }

  /** The running tasks nobody works on any more, as a recycler must see them. */
  abandoned(): ModelSighting[] {
    return this.rows
      .filter((task) => task.status === "running" && this.#isAbandoned(task))
      .sort((one, other) => one.dueMs - other.dueMs || compareIds(one.id, other.id));
  }

  /** Takes back those of the sighted tasks that are still as they were seen; answers their ids. */
  recycle(sightings: readonly ModelSighting[]): string[] {
    const recycled: string[] = [];
    for (const seen of sightings) {
      const task = this.task(seen.id);
      const isAsSeen = task.claimNo === seen.claimNo && task.owner === seen.owner && task.updatedMs === seen.updatedMs;
      if (task.status !== "running" || !isAsSeen || this.locked.has(task.id)) continue;
      const recycleCount = task.recycleCount + 1;
      const runsAgain = recycleCount < MODEL_MAX_RECYCLES && task.retryCount < task.maxRetryCount;
      this.#write(
        task.id,
        runsAgain ? { status: "pending", owner: null, recycleCount } : { ...this.#failedNow(), recycleCount },
      );
      recycled.push(task.id);
    }
    return recycled;
  }

  reset(id: string): boolean {
    const task = this.task(id);
    const { status, owner, retryCount, maxRetryCount } = task;
    const isSpent = owner === null && retryCount >= maxRetryCount;
    const isStuck = status === "running" && (isSpent || this.#isAbandoned(task));
    if (status !== "failed" && !isStuck) return false;
    this.#write(id, { ...this.#pendingIn(0), retryCount: 0, recycleCount: 0 });
    return true;
  }

  cancel(id: string): boolean {
    const { status, dueMs } = this.task(id);
    if (status !== "pending" && status !== "failed") return false;
    // What has ended is not due later: the archiver looks for ended tasks by their due time.
    this.#write(id, { status: "cancelled", dueMs: Math.min(dueMs, this.nowMs) });
    return true;
  }

  /** Code that knows the article's table only takes a pending row: no owner, no claim number. */
  foreignGrab(id: string): boolean {
    if (this.task(id).status !== "pending") return false;
    this.#write(id, { status: "running" });
    return true;
  }

  /** The same code ends a row that it holds with a failure, due again later. */
  foreignFail(id: string, delayMs: number): boolean {
    const { status, owner, retryCount } = this.task(id);
    if (status !== "running" || owner !== null) return false;
    this.#write(id, { ...this.#pendingIn(delayMs), retryCount: retryCount + 1 });
    return true;
  }

  #isClaimable(task: ModelTask): boolean {
    return task.status === "pending" && task.dueMs <= this.nowMs && !this.locked.has(task.id);
  }

  #isAbandoned(task: ModelTask): boolean {
    const beatMs = task.owner === null ? undefined : this.beats.get(task.owner);
    if (beatMs === undefined) return task.updatedMs < this.nowMs - MODEL_FOREIGN_AFTER_MS;
    return beatMs < this.nowMs - MODEL_DEAD_AFTER_MS;
  }

  #pendingIn(delayMs: number): Partial<ModelTask> {
    return { status: "pending", owner: null, dueMs: this.nowMs + delayMs };
  }

  /** A failed task is listed by the time of its failure. */
  #failedNow(): Partial<ModelTask> {
    return { status: "failed", dueMs: this.nowMs };
  }

  #write(id: string, change: Partial<ModelTask>): void {
    this.tasks.set(id, { ...this.task(id), ...change, updatedMs: this.nowMs });
  }
}

export function compareIds(one: string, other: string): number {
  const [a, b] = [BigInt(one), BigInt(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}
