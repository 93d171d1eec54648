import "server-only";
import { type BulkRow, lockBulk, readBulk } from "../../db/queries/bulk-operations.ts";
import { abortBulk, approveBulk, pauseBulk, resumeBulk, setBulkPace } from "../../db/queries/bulk-transitions.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import type { Session } from "../../db/session.ts";
import type { AuditAction } from "../../db/schema/audit-actions.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { mustSeeAll } from "./bulk-scope.ts";
import { DIALOG_MAX } from "./bulk-size.ts";
import { type BulkView, bulkView } from "./bulk-view.ts";
import { ConsoleError } from "./console-error.ts";
import { present, storeBulk, UNDO_MS } from "./create-bulk.ts";
import { consoleDatabase } from "./database.ts";
import { mustBeConfirmed } from "./step-up.ts";

interface Act {
  readonly id: string;
  readonly reason?: string | undefined;
}

/** Stops an action where it stands; what is done stays done. @throws ConsoleError bulk_not_found, bulk_state */
export function pause(asker: Asker, act: Act): Promise<BulkView> {
  return transition(asker, act, "bulk.pause", (session) => pauseBulk(session, act.id));
}

/** Lets a paused or failed action go on. @throws ConsoleError bulk_not_found, bulk_state */
export function resume(asker: Asker, act: Act): Promise<BulkView> {
  return transition(asker, act, "bulk.resume", (session) => resumeBulk(session, act.id));
}

/** Ends an action for ever; before its start that is an undo. @throws ConsoleError bulk_not_found, bulk_state */
export function abort(asker: Asker, act: Act): Promise<BulkView> {
  return transition(asker, act, "bulk.abort", (session) => abortBulk(session, act.id));
}

/** Changes the pace of an action that has not ended. @throws ConsoleError bulk_not_found, bulk_state */
export function setPace(asker: Asker, act: Act & { readonly ratePerSecond: number | null }): Promise<BulkView> {
  const ratePerSecond = act.ratePerSecond ?? undefined;
  return transition(asker, act, "bulk.pace", (session) => setBulkPace(session, { id: act.id, ratePerSecond }), {
    ratePerSecond: act.ratePerSecond,
  });
}

/** A second person's yes. @throws ConsoleError bulk_own_approval from the one who asked; bulk_not_found, bulk_state */
export function approve(asker: Asker, act: Act): Promise<BulkView> {
  return transition(asker, act, "bulk.approve", (session, before) => {
    if (before.actor === asker.actor) {
      throw new ConsoleError(
        "bulk_own_approval",
        `${asker.actor} asked for bulk action ${act.id} and cannot approve it`,
      );
    }
    return approveBulk(session, { id: act.id, approvedBy: asker.actor, startDelayMs: UNDO_MS });
  });
}

/**
 * Takes back what an action did to tasks that nobody has touched since, as an action of its own, begun at once and as
 * fast as it goes. What a replay has made is cancelled, not reverted. @throws ConsoleError bulk_not_found; bulk_state while
 * the action may still change tasks; step_up_required above 1,000 tasks
 */
export async function revert(asker: Asker, act: Act): Promise<BulkView> {
  const source = await consoleDatabase().use(async (session) => present(await readBulk(session, act.id), act.id));
  mustSeeAll(asker, source);
  const isOver = ["finished", "aborted", "paused", "failed"].includes(source.state);
  const isRevertible = source.action !== "revert" && source.action !== "replay" && source.doneCount > 0;
  if (!isOver || !isRevertible) throw wrongState(source);
  if (source.doneCount > DIALOG_MAX) mustBeConfirmed(asker);
  return storeBulk(asker, {
    action: "revert",
    filter: { state: "all", eventTypes: source.filter.eventTypes, bulkId: source.id },
    bounds: source.bounds,
    name: source.name,
    reason: act.reason ?? source.reason,
    state: "scheduled",
    ratePerSecond: undefined,
    jitterMs: 0,
    canaryRows: 0,
    canaryShare: undefined,
    estimate: source.doneCount,
    startDelayMs: 0,
  });
}

/** One guarded step of an action's life with its audit entry. The row is locked first: a batch under way ends before. */
async function transition(
  asker: Asker,
  { id, reason }: Act,
  action: AuditAction,
  change: (session: Session, before: BulkRow) => Promise<number>,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<BulkView> {
  return consoleDatabase().retryingTransaction(async (session) => {
    const before = present(await lockBulk(session, id), id);
    mustSeeAll(asker, before);
    if ((await change(session, before)) === 0) throw wrongState(before);
    await insertAudit(session, {
      ...auditedBy(asker),
      action,
      objectKind: "bulk",
      objectId: id,
      result: "ok",
      reason,
      correlation: `bulk-${id}`,
      detail: {
        ...detail,
        before: { state: before.state, ratePerSecond: before.ratePerSecond ?? null },
        done: before.doneCount,
        skipped: before.skippedCount,
      },
    });
    return bulkView(present(await readBulk(session, id), id), new Date());
  });
}

function wrongState({ id, state }: BulkRow): ConsoleError {
  return new ConsoleError("bulk_state", `bulk action ${id} is ${state}`, { details: { state } });
}
