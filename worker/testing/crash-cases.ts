import type { CrashPoint } from "../../db/crash-points.ts";

/** What a handler's call comes to, or where its task is when the process dies. The key of a task in the walk is one of these. */
export const OUTCOMES = [
  "success",
  "skipped",
  "transaction",
  "retry",
  "failed",
  "snoozed",
  "cancelled",
  "released",
  "refused",
  "waiting",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * What a crash does to a task once another process has taken over. `undone`: it was never committed and is not there.
 * `same`: it ends as if nothing had happened, without a further call of its handler. `again`: the same, but one call had
 * begun whose result was not stored, so the handler is called once more.
 */
export type Fate = "undone" | "same" | "again";

/** How a process gets to a step. See crash-child.ts. */
export type Scene = "start" | "create" | "poll" | "hold" | "wake" | "recycle" | "forgotten" | "stop" | "abort";

export interface CrashCase {
  readonly scene: Scene;
  readonly fates: Partial<Record<Outcome, Fate>>;
  /** Each outcome in a process of its own; left out, one process dies with all of the tasks in its hands. */
  readonly apart?: boolean;
}

const every = (fate: Fate): Partial<Record<Outcome, Fate>> => ({
  success: fate,
  skipped: fate,
  transaction: fate,
  retry: fate,
  failed: fate,
  snoozed: fate,
  cancelled: fate,
});

/** What is promised for every step at which a process may die; crash-points.test.ts kills one at each. */
export const CRASH_CASES = {
  "types.registered": { scene: "start", fates: { success: "same" } },
  "beat.registered": { scene: "start", fates: { success: "same" } },
  "beat.confirmed": { scene: "hold", fates: { success: "again" } },
  "enqueue.checked": { scene: "create", fates: every("undone") },
  "enqueue.inserted": { scene: "create", fates: every("undone") },
  "transaction.worked": { scene: "create", fates: every("undone") },
  "transaction.committed": { scene: "create", fates: every("same") },
  "eager.begun": { scene: "create", fates: every("same") },
  "claim.selected": { scene: "poll", fates: every("same") },
  "claim.changed": { scene: "poll", fates: every("same") },
  "claim.committed": { scene: "poll", fates: every("same") },
  "wake.changed": { scene: "wake", fates: every("same") },
  "wake.committed": { scene: "wake", fates: every("same") },
  "attempt.begun": { scene: "poll", apart: true, fates: every("same") },
  "attempt.ended": { scene: "poll", apart: true, fates: { ...every("again"), transaction: "same" } },
  "success.begun": { scene: "poll", apart: true, fates: { success: "again", skipped: "again" } },
  "success.written": { scene: "poll", apart: true, fates: { success: "same", skipped: "same" } },
  "completion.changed": { scene: "poll", fates: { transaction: "again" } },
  "completion.committed": { scene: "poll", fates: { transaction: "same" } },
  "retry.begun": { scene: "poll", fates: { retry: "again" } },
  "retry.changed": { scene: "poll", fates: { retry: "again" } },
  "retry.committed": { scene: "poll", fates: { retry: "same" } },
  "failed.begun": { scene: "poll", fates: { failed: "again" } },
  "failed.changed": { scene: "poll", fates: { failed: "again" } },
  "failed.committed": { scene: "poll", fates: { failed: "same" } },
  "snooze.begun": { scene: "poll", fates: { snoozed: "again" } },
  "snooze.changed": { scene: "poll", fates: { snoozed: "again" } },
  "snooze.committed": { scene: "poll", fates: { snoozed: "same" } },
  "cancel.begun": { scene: "poll", fates: { cancelled: "again" } },
  "cancel.changed": { scene: "poll", fates: { cancelled: "again" } },
  "cancel.committed": { scene: "poll", fates: { cancelled: "same" } },
  "release.begun": { scene: "abort", fates: { released: "again" } },
  "release.changed": { scene: "abort", fates: { released: "again" } },
  "release.committed": { scene: "abort", fates: { released: "same" } },
  "refusal.entered": { scene: "poll", fates: { refused: "same" } },
  "refusal.committed": { scene: "poll", fates: { refused: "same" } },
  "recycle.listed": { scene: "recycle", fates: every("same") },
  "recycle.changed": { scene: "recycle", fates: every("same") },
  "recycle.committed": { scene: "recycle", fates: every("same") },
  "forgotten.found": { scene: "forgotten", fates: every("same") },
  "forgotten.released": { scene: "forgotten", fates: every("same") },
  "shutdown.begun": { scene: "stop", fates: { success: "again", waiting: "same" } },
  "unrun.begun": { scene: "stop", fates: { success: "again", waiting: "same" } },
  "unrun.released": { scene: "stop", fates: { success: "again", waiting: "same" } },
  "shutdown.returned": { scene: "stop", fates: { success: "again", waiting: "same" } },
  "shutdown.waited": { scene: "stop", fates: { success: "again", waiting: "same" } },
  "shutdown.written": { scene: "stop", fates: { success: "same", waiting: "same" } },
  "shutdown.left": { scene: "stop", fates: { success: "same", waiting: "same" } },
} as const satisfies Record<CrashPoint, CrashCase>;

/** One process that dies: where, and with which tasks. */
export interface CrashRun {
  readonly point: CrashPoint;
  readonly scene: Scene;
  readonly fates: Partial<Record<Outcome, Fate>>;
}

export const CRASH_RUNS: readonly CrashRun[] = Object.entries(CRASH_CASES as Record<CrashPoint, CrashCase>).flatMap(
  ([name, { scene, fates, apart }]) => {
    const point = name as CrashPoint;
    if (!apart) return [{ point, scene, fates }];
    return Object.entries(fates).map(([outcome, fate]) => ({ point, scene, fates: { [outcome]: fate } }));
  },
);
