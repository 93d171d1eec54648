import {
  insertBulkItems,
  listKnownItems,
  listLiveIds,
  lockForBulk,
  lockForRevert,
  type LockedTask,
  type NewBulkItem,
  type PreviousTask,
  revertTasks,
} from "../../db/queries/bulk-batch.ts";
import type { BulkCursor } from "../../db/queries/bulk-candidates.ts";
import { type BulkRow, lockBulk } from "../../db/queries/bulk-operations.ts";
import { walkedStatus } from "../../db/queries/bulk-scope.ts";
import { type BulkOwner, saveBulkProgress } from "../../db/queries/bulk-transitions.ts";
import { cancelTasks } from "../../db/queries/cancel-tasks.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { insertAttempts } from "../../db/queries/insert-attempts.ts";
import { resetTasks } from "../../db/queries/reset-tasks.ts";
import type { AttemptKind } from "../../db/schema/attempt.ts";
import { BULK_SKIPS, type BulkAction, type BulkSkip } from "../../db/schema/bulk.ts";
import { STATUS_CODE, statusFromCode } from "../../db/schema/task-status.ts";
import type { Session } from "../../db/session.ts";

/** Every point of a batch at which its process may die, in order. Tests kill it at each. */
export const BULK_STEPS = ["begun", "locked", "changed", "told", "noted", "saved", "committed"] as const;
export type BulkStep = (typeof BULK_STEPS)[number];
export type OnBulkStep = (step: BulkStep) => Promise<void> | void;

export interface BulkBatch {
  readonly ids: readonly string[];
  /** Where the walk stands once all of these are dealt with. */
  readonly cursor: BulkCursor;
  /** Whether tasks that somebody holds are left alone now, and not tried again. */
  readonly givesUp: boolean;
}

export interface BatchResult {
  readonly done: number;
  readonly skipped: number;
  /** Tasks that somebody holds at this moment; they are not noted, and the walk has not moved past them. */
  readonly held: readonly string[];
}

/** The database did not change as many tasks as were locked for it; the transaction must be rolled back. */
export class BulkCountError extends Error {
  override readonly name = "BulkCountError";
  readonly code = "BULK_COUNT";
}

type Work = LockedTask & { readonly written?: PreviousTask | undefined };

/** An action on live tasks. */
type LiveBulk = BulkRow & { readonly action: Exclude<BulkAction, "replay"> };

const HISTORY_KIND = { reset: "reset", cancel: "cancelled", revert: "undone" } as const satisfies Record<
  LiveBulk["action"],
  AttemptKind
>;

/**
 * Deals with at most 200 tasks of an action inside the caller's READ COMMITTED transaction: changes those that are still
 * meant, notes why the others are left alone, and saves counts and cursor with it, so that at any crash all of it is
 * there or none. A task that the action has dealt with before is passed over. Waits for no row but the action's own.
 * Undefined: the action is no longer this owner's, or no longer running; nothing is changed then.
 */
export async function applyBulkBatch(
  session: Session,
  owner: BulkOwner,
  batch: BulkBatch,
  onStep: OnBulkStep = () => undefined,
): Promise<BatchResult | undefined> {
  const action = await lockBulk(session, owner.id);
  if (!action || action.owner !== owner.owner || !isRunning(action) || !isOnLiveTasks(action)) return undefined;
  await onStep("begun");
  const known = await listKnownItems(session, action.id, batch.ids);
  const ids = batch.ids.filter((id) => !known.has(id));
  const tasks = await lockWork(session, action, ids);
  await onStep("locked");
  const locked = new Set(tasks.map(({ id }) => id));
  const missing = ids.filter((id) => !locked.has(id));
  const live = await listLiveIds(session, missing);
  const held = missing.filter((id) => live.has(id));
  // One instant for all writes of the batch: a revert knows an untouched task by it.
  const stamped = session.at(await readDatabaseNow(session));
  const meant = tasks.filter(({ matches }) => matches);
  const changed = await change(stamped, action, meant);
  if (changed !== meant.length) {
    throw new BulkCountError(`${changed} tasks changed, ${meant.length} expected; nothing is written`);
  }
  await onStep("changed");
  await insertAttempts(
    stamped,
    meant.map(({ id, eventType, retryCount, claimNo }) => ({
      taskId: id,
      eventType,
      kind: HISTORY_KIND[action.action],
      retryCount,
      claimNo,
      actor: action.actor,
      detail: `bulk ${action.id}: ${action.reason}`,
    })),
  );
  await onStep("told");
  const items: NewBulkItem[] = [
    ...meant.map(({ id, claimNo, previous }) => ({ taskId: id, result: "done", claimNo, previous }) as const),
    ...tasks.filter(({ matches }) => !matches).map((task) => skipped(task.id, skipOf(action, task), task.claimNo)),
    ...missing.filter((id) => !live.has(id)).map((id) => skipped(id, "gone", 0)),
    ...(batch.givesUp ? held.map((id) => skipped(id, "locked", 0)) : []),
  ];
  await insertBulkItems(stamped, action.id, items);
  await onStep("noted");
  const isOver = batch.givesUp || held.length === 0;
  const counts = { done: meant.length, skipped: items.length - meant.length };
  await saveBulkProgress(session, { ...owner, ...counts, cursor: isOver ? batch.cursor : undefined });
  await onStep("saved");
  return { ...counts, held: isOver ? [] : held };
}

function isOnLiveTasks(action: BulkRow): action is LiveBulk {
  return action.action !== "replay";
}

export function isRunning({ state }: Pick<BulkRow, "state">): boolean {
  return state === "running" || state === "canary";
}

function lockWork(session: Session, action: LiveBulk, ids: readonly string[]): Promise<Work[]> {
  if (action.action === "revert") return lockForRevert(session, ids, action.filter.bulkId ?? "0");
  return lockForBulk(session, ids, action);
}

async function change(session: Session, action: LiveBulk, tasks: readonly Work[]): Promise<number> {
  const ids = tasks.map(({ id }) => id);
  switch (action.action) {
    case "reset":
      // A canary that waits for its turn would tell nothing for as long.
      return resetTasks(session, { ids, jitterMs: action.state === "canary" ? 0 : action.jitterMs });
    case "cancel":
      return cancelTasks(session, ids);
    case "revert":
      return revertTasks(
        session,
        tasks.flatMap(({ id, claimNo, written }) => (written ? [{ id, claimNo, written }] : [])),
      );
  }
}

function skipped(taskId: string, detail: BulkSkip, claimNo: number): NewBulkItem {
  return { taskId, result: "skipped", detail, claimNo };
}

/** A task in the right status that is not the one that was meant has failed anew, or somebody else has written it. */
function skipOf(action: BulkRow, task: Work): BulkSkip {
  const status = statusFromCode(task.status);
  if (meantStatuses(action).some((code) => code === task.status)) return "changed";
  return BULK_SKIPS.find((skip) => skip === status) ?? "changed";
}

function meantStatuses({ action, filter }: BulkRow): readonly number[] {
  if (action === "revert") return [STATUS_CODE.pending, STATUS_CODE.cancelled];
  if (filter.state !== "all") return [walkedStatus(filter)];
  return action === "reset" ? [STATUS_CODE.failed] : [STATUS_CODE.failed, STATUS_CODE.pending];
}
