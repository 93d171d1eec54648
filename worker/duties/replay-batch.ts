import { createHash } from "node:crypto";
import { insertBulkItems } from "../../db/queries/bulk-batch.ts";
import type { BulkCursor } from "../../db/queries/bulk-candidates.ts";
import { type BulkRow, lockBulk } from "../../db/queries/bulk-operations.ts";
import type { ArchivedRef } from "../../db/queries/bulk-scope.ts";
import { type BulkOwner, saveBulkProgress } from "../../db/queries/bulk-transitions.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { findTaskIds } from "../../db/queries/find-task-id.ts";
import { insertAttempts } from "../../db/queries/insert-attempts.ts";
import { insertTasks } from "../../db/queries/insert-tasks.ts";
import { type JudgedReplay, judgeReplays, obstacleOf } from "../../db/queries/judge-replays.ts";
import { insertReplayItems, listKnownReplays, type NewReplayItem } from "../../db/queries/replay-items.ts";
import {
  findHeldKeys,
  readReplayOriginals,
  readReplaySources,
  refKey,
  type ReplayOriginal,
  taskKeyText,
} from "../../db/queries/replay-sources.ts";
import type { Session } from "../../db/session.ts";
import { BulkCountError, isRunning, type OnBulkStep } from "./bulk-batch.ts";

/** Payloads of one transaction, so that neither a packet nor the redo log gets a lump; one task may have more. */
export const REPLAY_BYTES_MAX = 2_097_152;

export interface ReplayBatch {
  readonly refs: readonly ArchivedRef[];
  /** Keys, as text, under which somebody's open transaction has a row: their tasks are not tried now. */
  readonly heldKeys: ReadonlySet<string>;
  /** Where the walk stands once all of these are dealt with. */
  readonly cursor: BulkCursor;
  /** Whether tasks whose key somebody holds are left alone now, and not tried again. */
  readonly givesUp: boolean;
}

export interface ReplayResult {
  readonly done: number;
  readonly skipped: number;
  /** Tasks whose key somebody holds at this moment; they are not noted, and the walk has not moved past them. */
  readonly held: readonly ArchivedRef[];
}

/** How many of these archived tasks one batch takes by their payloads, at least one, and which of their keys are held. */
export async function lookAtReplays(
  session: Session,
  refs: readonly ArchivedRef[],
): Promise<{ readonly fitting: number; readonly heldKeys: ReadonlySet<string> }> {
  const sources = await readReplaySources(session, refs);
  const bytesOf = new Map(sources.map((source) => [refKey(source), source.payloadBytes]));
  let bytes = 0;
  const end = refs.findIndex((ref, index) => {
    bytes += bytesOf.get(refKey(ref)) ?? 0;
    return bytes > REPLAY_BYTES_MAX && index > 0;
  });
  const live = new Set((await findTaskIds(session, sources)).map(taskKeyText));
  const held = await findHeldKeys(
    session,
    sources.filter((source) => !live.has(taskKeyText(source))),
  );
  return { fitting: end === -1 ? refs.length : end, heldKeys: new Set(held.map(taskKeyText)) };
}

/**
 * Deals with at most 200 archived tasks of a replay inside the caller's READ COMMITTED transaction: makes a new task of
 * each that nothing stands against, notes why the others are left alone, and saves counts and cursor with it, so that at
 * any crash all of it is there or none. One that the action has dealt with before is passed over. Locks no row but the
 * action's own and those it makes. Undefined: the action is no longer this owner's, or no longer running.
 * @throws what 1062 is for a driver, if a live twin came between the look and the insert; nothing is written then.
 */
export async function applyReplayBatch(
  session: Session,
  owner: BulkOwner,
  batch: ReplayBatch,
  onStep: OnBulkStep = () => undefined,
): Promise<ReplayResult | undefined> {
  const action = await lockBulk(session, owner.id);
  if (action?.action !== "replay" || action.owner !== owner.owner || !isRunning(action)) return undefined;
  await onStep("begun");
  const known = await listKnownReplays(session, action.id, batch.refs);
  const judged = await judgeReplays(
    session,
    action.filter,
    batch.refs.filter((ref) => !known.has(refKey(ref))),
  );
  await onStep("locked");
  const isFree = (one: JudgedReplay) => obstacleOf(one) === undefined;
  const isHeld = ({ source }: JudgedReplay) => source !== undefined && batch.heldKeys.has(taskKeyText(source));
  const held = judged.filter((one) => isFree(one) && isHeld(one));
  const meant = judged.filter((one) => isFree(one) && !isHeld(one));
  const stamped = session.at(await readDatabaseNow(session));
  const made = await makeTasks(stamped, action, meant);
  await onStep("changed");
  await insertAttempts(
    stamped,
    made.flatMap(({ original, liveId }) => historyOf(action, original, liveId)),
  );
  await onStep("told");
  const items: NewReplayItem[] = [
    ...made.map(({ original: { id, archivedAt }, liveId }) => ({ id, archivedAt, result: "done", liveId }) as const),
    ...judged.filter((one) => !isFree(one)).map(skipOf),
    ...(batch.givesUp ? held.map(({ ref }) => ({ ...ref, result: "skipped", detail: "locked" }) as const) : []),
  ];
  await insertReplayItems(stamped, action.id, items);
  await insertBulkItems(
    stamped,
    action.id,
    made.map(({ liveId }) => ({ taskId: liveId, result: "done", claimNo: 0 })),
  );
  await onStep("noted");
  const isOver = batch.givesUp || held.length === 0;
  const counts = { done: made.length, skipped: items.length - made.length };
  await saveBulkProgress(session, { ...owner, ...counts, cursor: isOver ? batch.cursor : undefined });
  await onStep("saved");
  return { ...counts, held: isOver ? [] : held.map(({ ref }) => ref) };
}

interface MadeTask {
  readonly original: ReplayOriginal;
  readonly liveId: string;
}

/** By one plain INSERT of rows that are known: one that selects them would keep every enqueue from its id meanwhile. */
async function makeTasks(session: Session, action: BulkRow, meant: readonly JudgedReplay[]): Promise<MadeTask[]> {
  if (meant.length === 0) return [];
  const found = await readReplayOriginals(
    session,
    meant.map(({ ref }) => ref),
  );
  // Two replays with keys in common then come to them in one order.
  const originals = found.sort((one, other) => (taskKeyText(one) < taskKeyText(other) ? -1 : 1));
  const { affectedRows } = await insertTasks(
    session,
    originals.map((original) => ({
      eventType: original.eventType,
      bizKey: original.bizKey,
      bizContext: original.bizContext,
      maxRetryCount: original.maxRetryCount,
      retryStrategy: original.retryStrategy,
      firstRetryIntervalSeconds: original.firstRetryIntervalSeconds,
      // A canary that waits for its turn would tell nothing for as long.
      due: { delayMs: action.state === "canary" ? 0 : delayOf(original, action.jitterMs) },
      origin: "replay",
      parentId: original.id,
    })),
  );
  const ids = new Map((await findTaskIds(session, originals)).map((task) => [taskKeyText(task), task.id]));
  const made = originals.flatMap((original) => {
    const liveId = ids.get(taskKeyText(original));
    return liveId === undefined ? [] : [{ original, liveId }];
  });
  if (affectedRows !== meant.length || made.length !== meant.length) {
    throw new BulkCountError(`${affectedRows} tasks made, ${meant.length} expected; nothing is written`);
  }
  return made;
}

/** A task's share of the spread: the same one each time it is asked. */
function delayOf({ id }: ArchivedRef, jitterMs: number): number {
  return createHash("sha256").update(id).digest().readUInt32BE(0) % (jitterMs + 1);
}

/** Both tasks name each other, as after the replay of one. */
function historyOf(action: BulkRow, original: ReplayOriginal, liveId: string) {
  const why = `bulk ${action.id}: ${action.reason}`;
  const common = { eventType: original.eventType, kind: "replayed", actor: action.actor } as const;
  const { id, retryCount, claimNo } = original;
  return [
    { ...common, taskId: id, retryCount, claimNo, detail: `as task ${liveId}: ${why}` },
    { ...common, taskId: liveId, retryCount: 0, claimNo: 0, detail: `of task ${id}: ${why}` },
  ];
}

function skipOf(one: JudgedReplay): NewReplayItem {
  const detail = obstacleOf(one);
  return { ...one.ref, result: "skipped", detail, liveId: detail === "live_twin" ? one.twin?.id : undefined };
}
