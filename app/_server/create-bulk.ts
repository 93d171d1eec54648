import "server-only";
import { isDuplicateKey } from "../../db/mysql-errors.ts";
import {
  type BulkRow,
  findBulkByRequest,
  insertBulk,
  listBulksInStates,
  type NewBulk,
  readBulk,
} from "../../db/queries/bulk-operations.ts";
import { type BulkScope, storedFilter } from "../../db/queries/bulk-scope.ts";
import { summarizeMatches } from "../../db/queries/bulk-summary.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { holdLease } from "../../db/queries/leases.ts";
import type { Session } from "../../db/session.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import type { CreateBulkInput } from "./bulk-input.ts";
import { mustSeeAll, resolveScope } from "./bulk-scope.ts";
import { DIALOG_MAX, isConfirmed, sizeOf } from "./bulk-size.ts";
import { type BulkView, bulkView } from "./bulk-view.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { mustBeConfirmed } from "./step-up.ts";

/** How an action goes on, whatever it is about. */
type BulkOrder = Omit<CreateBulkInput, "action" | "filter">;

/** In this time an action can be taken back before it has changed anything. */
export const UNDO_MS = 10_000;
const OPEN_STATES = ["awaiting_approval", "scheduled", "canary", "running", "paused"] as const;
/** More actions than this wait or run at no time. */
const OPEN_MAX = 50;

/**
 * Stores an action over many tasks; a worker begins it after the time for an undo, or after a second person's approval.
 * The same request key is the same action, and while an action is open no second one with the same filter is taken.
 * @throws ConsoleError bulk_nothing, bulk_confirm, bulk_same_open, bulk_too_many, out_of_scope; step_up_required above
 * 1,000 tasks
 */
export async function createBulk(asker: Asker, input: CreateBulkInput): Promise<BulkView> {
  const { requestKey } = input;
  const database = consoleDatabase();
  const known = await knownRequest(asker, requestKey);
  if (known) return known;
  const { scope, count } = await database.use(async (session) => {
    const resolved = await resolveScope(session, asker, input);
    return { scope: resolved, count: (await summarizeMatches(session, resolved)).count };
  });
  if (count === 0) throw new ConsoleError("bulk_nothing", "no task matches");
  if (!isConfirmed(count, input.confirmCount)) {
    throw new ConsoleError("bulk_confirm", `${count} tasks match; confirm that number`, { details: { count } });
  }
  return orderBulk(asker, { scope, count, input });
}

/**
 * Stores an action over so many tasks, whose number has been confirmed; the same request key is the same action.
 * @throws ConsoleError bulk_same_open, bulk_too_many; step_up_required above 1,000 tasks
 */
export async function orderBulk(
  asker: Asker,
  { scope, count, input }: { readonly scope: BulkScope; readonly count: number; readonly input: BulkOrder },
): Promise<BulkView> {
  const { requestKey } = input;
  if (count > DIALOG_MAX) mustBeConfirmed(asker);
  const needsApproval = sizeOf(count) === "second_person" && !asker.may("bulk.approve");
  try {
    return await storeBulk(asker, {
      ...scope,
      name: input.name,
      reason: input.reason,
      requestKey,
      state: needsApproval ? "awaiting_approval" : "scheduled",
      ratePerSecond: input.ratePerSecond ?? undefined,
      jitterMs: input.jitterSeconds * 1_000,
      canaryRows: input.canary?.rows ?? 0,
      canaryShare: input.canary?.share,
      estimate: count,
      startDelayMs: UNDO_MS,
    });
  } catch (error) {
    const twin = isDuplicateKey(error) ? await knownRequest(asker, requestKey) : undefined;
    if (twin) return twin;
    throw error;
  }
}

/** Stores an action with its audit entry, one request after another, so that of two equal ones the second is refused. */
export async function storeBulk(asker: Asker, order: Omit<NewBulk, "actor">): Promise<BulkView> {
  return consoleDatabase().retryingTransaction(async (session) => {
    // Always granted, and its row stays locked until the commit.
    await holdLease(session, { name: "bulk-create", owner: "console", leaseMs: 60_000 });
    await refuseTwins(session, order);
    const id = await insertBulk(session, { ...order, actor: asker.actor });
    const { action, filter, estimate, ratePerSecond, jitterMs, canaryRows, canaryShare, name, state, reason } = order;
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "bulk.create",
      objectKind: "bulk",
      objectId: id,
      eventType: filter.eventTypes.length === 1 ? filter.eventTypes[0] : undefined,
      result: "ok",
      reason,
      correlation: `bulk-${id}`,
      detail: { name, action, filter, estimate, ratePerSecond, jitterMs, canaryRows, canaryShare, state },
    });
    return bulkView(present(await readBulk(session, id), id), new Date());
  });
}

async function refuseTwins(session: Session, scope: BulkScope): Promise<void> {
  const open = await listBulksInStates(session, OPEN_STATES);
  const filter = storedFilter(scope.filter);
  const twin = open.find((one) => one.action === scope.action && storedFilter(one.filter) === filter);
  if (twin) {
    throw new ConsoleError("bulk_same_open", `bulk action ${twin.id} over the same tasks is open`, {
      details: { bulkId: twin.id },
    });
  }
  if (open.length >= OPEN_MAX) throw new ConsoleError("bulk_too_many", `${open.length} bulk actions are open`);
}

/** The action that this asker's request has made already, or undefined. @throws ConsoleError out_of_scope */
export async function knownRequest(asker: Asker, requestKey: string | undefined): Promise<BulkView | undefined> {
  if (requestKey === undefined) return undefined;
  const known = await consoleDatabase().use((session) => findBulkByRequest(session, requestKey));
  if (!known || known.actor !== asker.actor) return undefined;
  mustSeeAll(asker, known);
  return bulkView(known, new Date());
}

export function present(row: BulkRow | undefined, id: string): BulkRow {
  if (row) return row;
  throw new ConsoleError("bulk_not_found", `bulk action ${id} not found`);
}
