import type { ArchiveColumns } from "../../db/archive-columns.ts";
import {
  type ArchiveCandidate,
  type ArchiveLane,
  copyAttempts,
  copyTasks,
  listAttemptIds,
  lockArchivable,
  removeAttempts,
  removeTasks,
} from "../../db/queries/archive-tasks.ts";
import type { Session } from "../../db/session.ts";

/** Every point of the archiver's work at which its process may die, in order. Tests kill it at each. */
export const ARCHIVE_STEPS = [
  "days_made", // after the partitions of each table
  "chosen", // a page of candidates was read, without a lock
  "locked",
  "tasks_copied",
  "attempts_copied",
  "attempts_removed",
  "tasks_removed", // everything is done but the commit
  "committed",
  "late_copied", // entries written for tasks that are archived already
  "late_removed",
  "late_committed",
] as const;
export type ArchiveStep = (typeof ARCHIVE_STEPS)[number];

/** Told at each step; whoever needs no telling passes `noStep`. */
export type OnArchiveStep = (step: ArchiveStep) => Promise<void> | void;
export const noStep: OnArchiveStep = () => undefined;

/** Payloads of one transaction, so that neither the redo log nor a replica gets a lump; one row may be larger. */
const BATCH_BYTES_MAX = 16_777_216;
/** History entries of one transaction; one task may have more, they go in further statements of this size. */
const BATCH_ATTEMPTS_MAX = 2_000;

export interface MovedBatch {
  readonly tasks: number;
  readonly attempts: number;
  /** Candidates that did not fit into this batch. */
  readonly left: readonly ArchiveCandidate[];
}

/** Live and archive do not agree on what was moved; the transaction must be rolled back. */
export class ArchiveCountError extends Error {
  override readonly name = "ArchiveCountError";
  readonly code = "ARCHIVE_COUNT";
}

/**
 * Moves those of at most 200 candidates that are still ripe, with their history, inside the caller's READ COMMITTED
 * transaction. Tasks that were reset, taken or moved meanwhile are left alone. Copies and removals must agree on their number.
 * @throws ArchiveCountError if they do not
 */
export async function moveToArchive(
  session: Session,
  lane: ArchiveLane,
  candidates: readonly ArchiveCandidate[],
  columns: ArchiveColumns,
  onStep: OnArchiveStep = noStep,
): Promise<MovedBatch> {
  const locked = await lockArchivable(session, lane, candidates);
  await onStep("locked");
  let batch = withinBytes(locked.rows);
  if (batch.length === 0) return { tasks: 0, attempts: 0, left: [] };
  let attemptIds = await listAttemptIds(session, idsOf(batch), BATCH_ATTEMPTS_MAX + 1);
  while (attemptIds.length > BATCH_ATTEMPTS_MAX && batch.length > 1) {
    batch = batch.slice(0, Math.ceil(batch.length / 2));
    attemptIds = await listAttemptIds(session, idsOf(batch), BATCH_ATTEMPTS_MAX + 1);
  }
  const ids = idsOf(batch);
  // One instant for all copies of the batch: it ties a task to its history, even if a server hands its id out again.
  const stamped = session.at(locked.at);
  demandEqual("copied tasks", await copyTasks(stamped, ids, columns), ids.length);
  await onStep("tasks_copied");
  let attempts = 0;
  while (attemptIds.length > 0) {
    demandEqual("copied entries", await copyAttempts(stamped, attemptIds, columns), attemptIds.length);
    await onStep("attempts_copied");
    demandEqual("removed entries", await removeAttempts(session, attemptIds), attemptIds.length);
    await onStep("attempts_removed");
    attempts += attemptIds.length;
    attemptIds = attemptIds.length < BATCH_ATTEMPTS_MAX ? [] : await listAttemptIds(session, ids, BATCH_ATTEMPTS_MAX);
  }
  demandEqual("removed tasks", await removeTasks(session, ids), ids.length);
  await onStep("tasks_removed");
  return { tasks: ids.length, attempts, left: locked.rows.slice(batch.length) };
}

/** Moves history entries of tasks that are not live any more, inside the caller's transaction. */
export async function moveLateAttempts(
  session: Session,
  ids: readonly string[],
  now: Date,
  columns: ArchiveColumns,
  onStep: OnArchiveStep = noStep,
): Promise<void> {
  demandEqual("copied entries", await copyAttempts(session.at(now), ids, columns), ids.length);
  await onStep("late_copied");
  demandEqual("removed entries", await removeAttempts(session, ids), ids.length);
  await onStep("late_removed");
}

function withinBytes<Row extends { readonly bytes: number }>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return bytes > BATCH_BYTES_MAX && index > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

function demandEqual(what: string, found: number, expected: number): void {
  if (found !== expected) throw new ArchiveCountError(`${found} ${what}, ${expected} expected; nothing is moved`);
}
