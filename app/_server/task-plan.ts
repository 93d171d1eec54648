import { backoffMs, type BackoffPolicy } from "../../db/backoff.ts";
import type { EventTypeSettings } from "../../db/event-type-settings.ts";

/** An attempt that is to come if all go on failing. */
export interface PlannedAttempt {
  readonly attempt: number;
  readonly at: string;
}

export interface TaskPlan {
  readonly strategy: string;
  readonly firstIntervalSeconds: number;
  readonly capSeconds: number;
  /** True: waits are drawn at random around what is shown. */
  readonly isApproximate: boolean;
  readonly coming: readonly PlannedAttempt[];
  /** When the last of the coming attempts is due, shown or not; undefined if it lies beyond what is computed. */
  readonly lastAt: string | undefined;
  /** How long a new start would go on until it gives up. */
  readonly roundMs: number | undefined;
}

export interface PlannedTask {
  readonly status: string | undefined;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly retryStrategy: string;
  readonly firstRetryIntervalSeconds: number;
  readonly nextRetryAt: Date;
}

const SHOWN_MAX = 40;
const COMPUTED_MAX = 2_000;

/**
 * When the attempts that are left would be due, by the rule that the engine itself uses. The run time of an attempt is
 * not known and counts as nothing; a wait that is drawn at random counts as its middle.
 */
export function planTask(task: PlannedTask, settings: EventTypeSettings, now: Date): TaskPlan {
  const policy: BackoffPolicy = {
    ...settings,
    strategy: task.retryStrategy,
    firstIntervalSeconds: task.firstRetryIntervalSeconds,
  };
  const due = task.nextRetryAt.getTime() > now.getTime() ? task.nextRetryAt : now;
  const coming =
    task.status === "pending"
      ? schedule(policy, task.retryCount, task.maxRetryCount, due)
      : task.status === "running"
        ? schedule(policy, task.retryCount, task.maxRetryCount, now).slice(1)
        : [];
  const left = Math.max(0, task.maxRetryCount - task.retryCount - (task.status === "running" ? 1 : 0));
  const round = schedule(policy, 0, task.maxRetryCount, now);
  const [first, last] = [round[0], round.at(-1)];
  return {
    strategy: task.retryStrategy,
    firstIntervalSeconds: task.firstRetryIntervalSeconds,
    capSeconds: settings.capSeconds,
    isApproximate: settings.jitter > 0 || task.retryStrategy.trim().toUpperCase() === "RANDOM",
    coming: coming.slice(0, SHOWN_MAX),
    lastAt: coming.length === left ? coming.at(-1)?.at : undefined,
    roundMs:
      first && last && round.length === task.maxRetryCount ? Date.parse(last.at) - Date.parse(first.at) : undefined,
  };
}

/** The attempts after `failures`, the first of them due at `from`. */
function schedule(policy: BackoffPolicy, failures: number, max: number, from: Date): PlannedAttempt[] {
  const planned: PlannedAttempt[] = [];
  let at = from.getTime();
  for (let attempt = failures + 1; attempt <= max && planned.length < COMPUTED_MAX; attempt++) {
    planned.push({ attempt, at: new Date(at).toISOString() });
    const reached = at;
    at += backoffMs(policy, attempt, { random: () => 0.5, databaseNowMs: () => reached });
  }
  return planned;
}
