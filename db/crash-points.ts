/**
 * Every step of the engine at which its process may die, in the order in which a task meets them. Tests kill a process at
 * each: a name without a case in worker/testing/crash-cases.ts does not compile.
 */
export const CRASH_POINTS = [
  "types.registered",
  "beat.registered",
  "beat.confirmed",
  "enqueue.checked",
  "enqueue.inserted",
  "transaction.worked",
  "transaction.committed",
  "eager.begun",
  "claim.selected",
  "claim.changed",
  "claim.committed",
  "wake.changed",
  "wake.committed",
  "attempt.begun",
  "attempt.ended",
  "success.begun",
  "success.written",
  "completion.changed",
  "completion.committed",
  "retry.begun",
  "retry.changed",
  "retry.committed",
  "failed.begun",
  "failed.changed",
  "failed.committed",
  "snooze.begun",
  "snooze.changed",
  "snooze.committed",
  "cancel.begun",
  "cancel.changed",
  "cancel.committed",
  "release.begun",
  "release.changed",
  "release.committed",
  "refusal.entered",
  "refusal.committed",
  "recycle.listed",
  "recycle.changed",
  "recycle.committed",
  "forgotten.found",
  "forgotten.released",
  "shutdown.begun",
  "unrun.begun",
  "unrun.released",
  "shutdown.returned",
  "shutdown.waited",
  "shutdown.written",
  "shutdown.left",
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

let hook: ((point: CrashPoint) => void) | undefined;

/** Marks a step. Does nothing, unless a test has asked to be told. */
export function crashPoint(point: CrashPoint): void {
  hook?.(point);
}

/** Lets a test's own process be told of every step it passes, in this thread. */
export function onCrashPoint(told: ((point: CrashPoint) => void) | undefined): void {
  hook = told;
}
