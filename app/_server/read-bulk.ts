import "server-only";
import { type BulkRow, listBulks as listRows, readBulk as readRow } from "../../db/queries/bulk-operations.ts";
import {
  type BulkItemRow,
  type BulkOutcome,
  countBulkOutcome,
  countSkips,
  listBulkItems as listItems,
} from "../../db/queries/bulk-outcome.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { listReplayItems } from "../../db/queries/replay-items.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import type { Session } from "../../db/session.ts";
import type { BulkResult, BulkSkip } from "../../db/schema/bulk.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { mustSeeAll, seesAll } from "./bulk-scope.ts";
import { type BulkView, bulkView } from "./bulk-view.ts";
import { present } from "./create-bulk.ts";
import { csvResponse } from "./csv.ts";
import { consoleDatabase } from "./database.ts";

const CSV_PAGE_ROWS = 1_000;
const OUTCOME_KEPT_MS = 3_000;
const OUTCOMES_MAX = 100;

export interface BulkPage {
  readonly asOf: string;
  readonly items: readonly BulkView[];
  readonly nextCursor: string | undefined;
}

/** One page of all actions, newest first. Those about event types that the asker may not see are absent. */
export async function listBulks(
  asker: Asker,
  params: { readonly limit: number; readonly cursor: string | undefined },
): Promise<BulkPage> {
  return consoleDatabase().use(async (session) => {
    const rows = await listRows(session, { limit: params.limit + 1, before: params.cursor });
    const asOf = await readDatabaseNow(session);
    const page = rows.slice(0, params.limit);
    return {
      asOf: asOf.toISOString(),
      items: page.filter((row) => seesAll(asker, row)).map((row) => bulkView(row, asOf)),
      nextCursor: rows.length > params.limit ? page.at(-1)?.id : undefined,
    };
  });
}

export interface BulkDetail {
  readonly asOf: string;
  readonly bulk: BulkView;
  readonly skips: readonly { readonly detail: BulkSkip; readonly count: number }[];
  /** The action of which this one is the revert or the repetition. */
  readonly source: { readonly id: string; readonly name: string } | undefined;
}

/** One action with why it left tasks alone. @throws ConsoleError bulk_not_found, out_of_scope */
export async function readBulk(asker: Asker, id: string): Promise<BulkDetail> {
  return consoleDatabase().use(async (session) => {
    const row = present(await readRow(session, id), id);
    mustSeeAll(asker, row);
    const asOf = await readDatabaseNow(session);
    const { bulkId } = row.filter;
    const source = bulkId === undefined ? undefined : await readRow(session, bulkId);
    return {
      asOf: asOf.toISOString(),
      bulk: bulkView(row, asOf),
      skips: row.skippedCount === 0 ? [] : await skipsOf(session, row),
      source: source && { id: source.id, name: source.name },
    };
  });
}

function skipsOf(session: Session, { id, action }: BulkRow) {
  return countSkips(session, id, action === "replay" ? "archived" : "live");
}

/** Counting is shared by all who look at the same action within some seconds. */
const outcomes = new Map<string, { readonly untilMs: number; readonly outcome: Promise<BulkOutcome> }>();

/** What became, since, of the tasks that an action changed. @throws ConsoleError bulk_not_found, out_of_scope */
export async function readBulkOutcome(asker: Asker, id: string): Promise<BulkOutcome> {
  const database = consoleDatabase();
  const row = await database.use(async (session) => present(await readRow(session, id), id));
  mustSeeAll(asker, row);
  const known = outcomes.get(id);
  if (known && known.untilMs > performance.now()) return known.outcome;
  if (outcomes.size >= OUTCOMES_MAX) outcomes.clear();
  const outcome = database.use((session) => countBulkOutcome(session, { bulkId: id, since: row.createdAt }));
  outcomes.set(id, { untilMs: performance.now() + OUTCOME_KEPT_MS, outcome });
  outcome.catch(() => outcomes.delete(id));
  return outcome;
}

/** One task of an action. Of a replay it is an archived one, and `status` is that of the live task. */
export type BulkItem = Omit<BulkItemRow, "at"> & {
  readonly at: string;
  readonly archivedAt?: string | undefined;
  /** The new task that a replay made; of one that was left alone the live task that stood in its way. */
  readonly liveId?: string | undefined;
};

export interface BulkItemPage {
  readonly items: readonly BulkItem[];
  readonly nextCursor: string | undefined;
}

/** One page of an action's tasks and what became of each. @throws ConsoleError bulk_not_found, out_of_scope */
export async function listBulkItems(
  asker: Asker,
  params: {
    readonly id: string;
    readonly result: BulkResult | undefined;
    readonly cursor: string | undefined;
    readonly limit: number;
  },
): Promise<BulkItemPage> {
  const { id, result, cursor, limit } = params;
  return consoleDatabase().use(async (session) => {
    const row = present(await readRow(session, id), id);
    mustSeeAll(asker, row);
    const items = await itemsOf(session, row, { result, after: cursor, limit: limit + 1 });
    const page = items.slice(0, limit);
    const last = page.at(-1);
    return { items: page, nextCursor: items.length > limit && last ? placeOf(last) : undefined };
  });
}

interface ItemsWanted {
  readonly result: BulkResult | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

async function itemsOf(session: Session, row: BulkRow, { after, ...wanted }: ItemsWanted): Promise<BulkItem[]> {
  const bulkId = row.id;
  if (row.action !== "replay") {
    const rows = await listItems(session, { ...wanted, bulkId, after: after?.split("-")[0] });
    return rows.map((item) => ({ ...item, at: item.at.toISOString() }));
  }
  const [id = "", at] = after?.split("-") ?? [];
  // Without an instant: behind every archived task of that id.
  const archivedAt = new Date(at === undefined ? LAST_MS : Number(at)).toISOString();
  const rows = await listReplayItems(session, {
    ...wanted,
    bulkId,
    after: after === undefined ? undefined : { id, archivedAt },
  });
  return rows.map((item) => ({ ...item, at: item.at.toISOString(), archivedAt: item.archivedAt.toISOString() }));
}

/** The last instant that a column can hold. */
const LAST_MS = Date.UTC(9999, 0);

/** Where a task stands in the list of its action: its id, and when it was archived, for an id may come again. */
function placeOf({ taskId, archivedAt }: BulkItem): string {
  return archivedAt === undefined ? taskId : `${taskId}-${new Date(archivedAt).getTime()}`;
}

/** The same as a file; who took it is in the audit log first. @throws ConsoleError bulk_not_found, out_of_scope, export_busy */
export async function exportBulkItems(
  asker: Asker,
  params: { readonly id: string; readonly result: BulkResult | undefined },
): Promise<Response> {
  const { id, result } = params;
  const row = await consoleDatabase().retryingTransaction(async (session) => {
    const found = present(await readRow(session, id), id);
    mustSeeAll(asker, found);
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "bulk.export",
      objectKind: "bulk",
      objectId: id,
      result: "ok",
      correlation: `bulk-${id}`,
      detail: { filter: { result } },
    });
    return found;
  });
  const more = row.action === "replay" ? ["archived_at", "live_task_id"] : [];
  return csvResponse({
    name: `bulk-${id}.csv`,
    header: ["task_id", "event_type", "biz_key", "result", "detail", "at", "status_now", ...more],
    rows: csvRows(row, result),
  });
}

async function* csvRows(row: BulkRow, result: BulkResult | undefined) {
  let after: string | undefined;
  for (;;) {
    const items = await consoleDatabase().use((session) =>
      itemsOf(session, row, { result, after, limit: CSV_PAGE_ROWS }),
    );
    for (const item of items) {
      const more = row.action === "replay" ? [item.archivedAt, item.liveId] : [];
      yield [item.taskId, item.eventType, item.bizKey, item.result, item.detail, item.at, item.status, ...more];
    }
    const last = items.at(-1);
    if (!last || items.length < CSV_PAGE_ROWS) return;
    after = placeOf(last);
  }
}
