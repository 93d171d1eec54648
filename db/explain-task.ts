import type { TaskStatus } from "./schema/task-status.ts";

/** What there is to know about one task and those who could run it, all read at one moment. */
export interface TaskFacts {
  readonly id: string;
  /** Undefined: not in the live table. */
  readonly task: ExplainedTask | undefined;
  /** The newest task of this id in the archive, if it is not live. */
  readonly archived?: ArchivedFacts | undefined;
  readonly isPaused: boolean;
  readonly pausedReason: string | undefined;
  /** Longest wait between two looks for due tasks of this type, in milliseconds. */
  readonly pollIntervalMs: number;
  readonly workers: readonly ExplainedWorker[];
  /** How often workers look for dead owners, in milliseconds. */
  readonly recycleIntervalMs: number;
  /** Silence after which a running task of an unknown owner is recycled, in milliseconds. */
  readonly foreignAfterMs: number;
}

export interface ArchivedFacts {
  readonly eventType: string;
  readonly status: TaskStatus | undefined;
  readonly statusCode: number;
  readonly finishedAt: Date | undefined;
  readonly archivedAt: Date;
}

export interface ExplainedTask {
  readonly eventType: string;
  readonly status: TaskStatus | undefined;
  readonly statusCode: number;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
  readonly nextRetryAt: Date;
  /** Milliseconds until it is due by the database's clock; 0 or less: due. */
  readonly dueInMs: number;
  readonly owner: string | undefined;
  readonly finishReason: string | undefined;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  readonly updatedAt: Date;
}

export interface ExplainedWorker {
  readonly owner: string;
  readonly host: string;
  readonly pid: number;
  readonly isAlive: boolean;
  readonly isDraining: boolean;
  readonly eventTypes: readonly string[];
  readonly pools: Readonly<Record<string, { concurrency: number; running: number; queued: number }>>;
}

/** What else keeps a task from running once it is due. */
export type Hold =
  | { readonly kind: "paused"; readonly reason: string | undefined }
  | { readonly kind: "no_worker"; readonly livingWorkers: number }
  | { readonly kind: "pools_full"; readonly running: number; readonly concurrency: number; readonly workers: number };

interface Params {
  not_live: object;
  archived: Omit<ArchivedFacts, "eventType">;
  succeeded: { readonly at: Date; readonly isSkipped: boolean };
  cancelled: { readonly at: Date };
  failed: {
    readonly at: Date;
    readonly reason: string | undefined;
    readonly retryCount: number;
    readonly maxRetryCount: number;
    readonly recycleCount: number;
  };
  unknown_status: { readonly statusCode: number };
  running: {
    readonly owner: string;
    readonly host: string;
    readonly pid: number;
    readonly since: Date;
    readonly runningMs: number;
    readonly isDraining: boolean;
  };
  owner_dead: { readonly owner: string; readonly withinMs: number; readonly hasRecycler: boolean };
  owner_unknown: { readonly owner: string | undefined; readonly withinMs: number; readonly hasRecycler: boolean };
  delayed: {
    readonly until: Date;
    readonly inMs: number;
    readonly retryCount: number;
    readonly maxRetryCount: number;
    /** What will still hold it then, as things are now. */
    readonly hold: Hold | undefined;
  };
  paused: { readonly reason: string | undefined };
  no_worker: { readonly livingWorkers: number };
  pools_full: { readonly running: number; readonly concurrency: number; readonly workers: number };
  due: { readonly overdueMs: number; readonly withinMs: number };
}

export type ExplanationCode = keyof Params;

/** Why a task is not running now, or that it is. */
export type TaskExplanation = {
  readonly [Code in ExplanationCode]: {
    readonly code: Code;
    readonly params: Params[Code] & { readonly id: string; readonly eventType?: string };
  };
}[ExplanationCode];

/** Decides from the facts alone why a task is not running now; the first reason that holds wins. */
export function explainTask(facts: TaskFacts): TaskExplanation {
  const { id, task, archived } = facts;
  if (!task) return archived ? { code: "archived", params: { id, ...archived } } : { code: "not_live", params: { id } };
  const common = { id, eventType: task.eventType };
  const endedAt = task.finishedAt ?? task.updatedAt;
  switch (task.status) {
    case undefined:
      return { code: "unknown_status", params: { ...common, statusCode: task.statusCode } };
    case "succeeded":
      return { code: "succeeded", params: { ...common, at: endedAt, isSkipped: task.finishReason === "skipped" } };
    case "cancelled":
      return { code: "cancelled", params: { ...common, at: endedAt } };
    case "failed": {
      const { finishReason: reason, retryCount, maxRetryCount, recycleCount } = task;
      return { code: "failed", params: { ...common, at: endedAt, reason, retryCount, maxRetryCount, recycleCount } };
    }
    case "running":
      return explainRunning(facts, task, common);
    case "pending":
      return explainPending(facts, task, common);
  }
}

interface Common {
  readonly id: string;
  readonly eventType: string;
}

function explainRunning(facts: TaskFacts, task: ExplainedTask, common: Common): TaskExplanation {
  const owner = facts.workers.find((worker) => worker.owner === task.owner);
  const nowMs = databaseNowMs(task);
  if (owner?.isAlive) {
    const since = task.startedAt ?? task.updatedAt;
    const runningMs = Math.max(0, nowMs - since.getTime());
    const { host, pid, isDraining } = owner;
    return { code: "running", params: { ...common, owner: owner.owner, host, pid, since, runningMs, isDraining } };
  }
  const hasRecycler = takers(facts, task.eventType).length > 0;
  if (owner) {
    return {
      code: "owner_dead",
      params: { ...common, owner: owner.owner, withinMs: facts.recycleIntervalMs, hasRecycler },
    };
  }
  const silentMs = nowMs - task.updatedAt.getTime();
  const withinMs = Math.max(0, facts.foreignAfterMs - silentMs) + facts.recycleIntervalMs;
  return { code: "owner_unknown", params: { ...common, owner: task.owner, withinMs, hasRecycler } };
}

function explainPending(facts: TaskFacts, task: ExplainedTask, common: Common): TaskExplanation {
  const hold = holdOf(facts, task.eventType);
  if (task.dueInMs > 0) {
    const { retryCount, maxRetryCount, nextRetryAt: until, dueInMs: inMs } = task;
    return { code: "delayed", params: { ...common, until, inMs, retryCount, maxRetryCount, hold } };
  }
  switch (hold?.kind) {
    case "paused":
      return { code: "paused", params: { ...common, reason: hold.reason } };
    case "no_worker":
      return { code: "no_worker", params: { ...common, livingWorkers: hold.livingWorkers } };
    case "pools_full": {
      const { running, concurrency, workers } = hold;
      return { code: "pools_full", params: { ...common, running, concurrency, workers } };
    }
    case undefined:
      return { code: "due", params: { ...common, overdueMs: -task.dueInMs, withinMs: facts.pollIntervalMs } };
  }
}

function holdOf(facts: TaskFacts, eventType: string): Hold | undefined {
  if (facts.isPaused) return { kind: "paused", reason: facts.pausedReason };
  const able = takers(facts, eventType);
  if (able.length === 0) {
    return { kind: "no_worker", livingWorkers: facts.workers.filter((worker) => worker.isAlive).length };
  }
  let running = 0;
  let concurrency = 0;
  let isAnyFree = false;
  for (const { pools } of able) {
    const pool = pools[eventType];
    // A worker that has just started has not reported its pools yet: they are empty.
    if (!pool || pool.running + pool.queued < pool.concurrency) isAnyFree = true;
    running += pool?.running ?? 0;
    concurrency += pool?.concurrency ?? 0;
  }
  return isAnyFree ? undefined : { kind: "pools_full", running, concurrency, workers: able.length };
}

/** The workers that take new tasks of this type. */
function takers(facts: TaskFacts, eventType: string): ExplainedWorker[] {
  return facts.workers.filter(
    (worker) => worker.isAlive && !worker.isDraining && worker.eventTypes.includes(eventType),
  );
}

/** The database's present instant: it said how far away the due time is. */
function databaseNowMs(task: ExplainedTask): number {
  return task.nextRetryAt.getTime() - task.dueInMs;
}
