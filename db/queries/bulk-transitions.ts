import { sql } from "drizzle-orm";
import { bulk, type BulkState, type CanaryVerdict } from "../schema/bulk.ts";
import { idLiteral, type Session } from "../session.ts";
import type { BulkCursor } from "./bulk-candidates.ts";
import { laterBy } from "./insert-tasks.ts";

/** An owner whose last sign of life is older than this is followed by another. */
export const BULK_DEAD_AFTER_MS = 15_000;

/** The worker that carries an action on; every write of it is refused once the action is another's, or no one's. */
export interface BulkOwner {
  readonly id: string;
  readonly owner: string;
}

/** Begins (or goes on with) a scheduled action whose time has come. Rows changed: 1, or 0 if it is no longer to be begun. */
export async function startBulk(
  session: Session,
  params: BulkOwner & { readonly state: Extract<BulkState, "canary" | "running"> },
): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET state = ${params.state}, state_reason = NULL, owner = ${params.owner}, beat_time = ${session.now},
      update_time = ${session.now} WHERE id = ${idLiteral(params.id)} AND state = 'scheduled' AND start_time <= ${session.now}`,
  );
  return affectedRows;
}

/** Takes over a running action that nobody carries on, or whose owner has shown no sign of life in time. */
export async function takeOverBulk(session: Session, params: BulkOwner): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET owner = ${params.owner}, beat_time = ${session.now}, update_time = ${session.now}
      WHERE id = ${idLiteral(params.id)} AND state IN ('canary', 'running')
        AND (owner IS NULL OR beat_time IS NULL OR beat_time < ${laterBy(session, -BULK_DEAD_AFTER_MS)})`,
  );
  return affectedRows;
}

/** Shows that the owner lives, while it waits for its pace or for the canary. Rows changed: 0 if it is no longer the owner. */
export async function beatBulk(session: Session, params: BulkOwner): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET beat_time = GREATEST(${session.now}, TIMESTAMPADD(MICROSECOND, 1000, beat_time)) WHERE id = ${idLiteral(params.id)}
      AND owner = ${params.owner} AND state IN ('canary', 'running')`,
  );
  return affectedRows;
}

/** Gives an action up in good order, so that another worker takes it at its next look. */
export async function releaseBulk(session: Session, params: BulkOwner): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET owner = NULL, update_time = ${session.now} WHERE id = ${idLiteral(params.id)} AND owner = ${params.owner}`,
  );
  return affectedRows;
}

/** Adds what a batch did, and where the next begins, in the batch's own transaction. Rows changed: 0 if it is no longer ours. */
export async function saveBulkProgress(
  session: Session,
  params: BulkOwner & {
    readonly done: number;
    readonly skipped: number;
    /** Left out: the walk has not moved on. */
    readonly cursor?: BulkCursor | undefined;
  },
): Promise<number> {
  const { now } = session;
  const cursor = params.cursor === undefined ? sql`` : sql`cursor_text = ${JSON.stringify(params.cursor)},`;
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET ${cursor} done_count = done_count + ${params.done}, skipped_count = skipped_count + ${params.skipped},
      beat_time = ${now}, update_time = ${now}
      WHERE id = ${idLiteral(params.id)} AND owner = ${params.owner} AND state IN ('canary', 'running')`,
  );
  return affectedRows;
}

/** The owner's end of its work, or its pause: finished, failed, or paused because the canary did not do well. */
export async function endBulk(
  session: Session,
  params: BulkOwner & {
    readonly state: Extract<BulkState, "finished" | "failed" | "paused">;
    readonly stateReason?: string | undefined;
    readonly canaryVerdict?: CanaryVerdict | undefined;
  },
): Promise<number> {
  const { now } = session;
  const finish = params.state === "finished" ? sql`finish_time = ${now},` : sql``;
  const verdict = params.canaryVerdict === undefined ? sql`` : sql`canary_verdict = ${params.canaryVerdict},`;
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET state = ${params.state}, state_reason = ${params.stateReason?.slice(0, 500) ?? null}, ${finish} ${verdict}
      owner = NULL, update_time = ${now} WHERE id = ${idLiteral(params.id)} AND owner = ${params.owner} AND state IN ('canary', 'running')`,
  );
  return affectedRows;
}

/** The canary did well: the rest follows. */
export async function passCanary(session: Session, params: BulkOwner): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET state = 'running', canary_verdict = 'passed', beat_time = ${session.now}, update_time = ${session.now}
      WHERE id = ${idLiteral(params.id)} AND owner = ${params.owner} AND state = 'canary'`,
  );
  return affectedRows;
}

/** A second person's yes; the delay in which it can be taken back begins now. */
export async function approveBulk(
  session: Session,
  params: { readonly id: string; readonly approvedBy: string; readonly startDelayMs: number },
): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET state = 'scheduled', approved_by = ${params.approvedBy}, start_time = ${laterBy(session, params.startDelayMs)},
      update_time = ${session.now} WHERE id = ${idLiteral(params.id)} AND state = 'awaiting_approval' AND actor <> ${params.approvedBy}`,
  );
  return affectedRows;
}

/** Stops an action where it stands: no task is changed any more once this is committed, until it is resumed. */
export async function pauseBulk(session: Session, id: string): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET state = 'paused', state_reason = NULL, owner = NULL, update_time = ${session.now}
      WHERE id = ${idLiteral(id)} AND state IN ('scheduled', 'canary', 'running')`,
  );
  return affectedRows;
}

/** Lets a paused or failed action go on from where it was; a canary that did not do well is overruled by this. */
export async function resumeBulk(session: Session, id: string): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET state = 'scheduled', state_reason = NULL, start_time = ${session.now}, update_time = ${session.now},
      canary_verdict = IF(canary_verdict = 'failed', 'overruled', canary_verdict)
      WHERE id = ${idLiteral(id)} AND state IN ('paused', 'failed')`,
  );
  return affectedRows;
}

/** Ends an action for ever, begun or not: what is done stays, the rest is left alone. */
export async function abortBulk(session: Session, id: string): Promise<number> {
  const { now } = session;
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET state = 'aborted', owner = NULL, finish_time = ${now}, update_time = ${now}
      WHERE id = ${idLiteral(id)} AND state IN ('awaiting_approval', 'scheduled', 'canary', 'running', 'paused', 'failed')`,
  );
  return affectedRows;
}

/** Changes how fast an action that has not ended goes on; undefined: as fast as it can. */
export async function setBulkPace(
  session: Session,
  params: { readonly id: string; readonly ratePerSecond: number | undefined },
): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${bulk} FORCE INDEX (PRIMARY) SET rate_per_second = ${params.ratePerSecond ?? null}, update_time = ${session.now}
      WHERE id = ${idLiteral(params.id)} AND state IN ('awaiting_approval', 'scheduled', 'canary', 'running', 'paused', 'failed')`,
  );
  return affectedRows;
}
