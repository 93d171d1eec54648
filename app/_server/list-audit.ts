import "server-only";
import type * as z from "zod";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import {
  type AuditCursor,
  type AuditEntry,
  type AuditFilter,
  countAudit as count,
  findAuditEntry,
  listAudit as readPage,
} from "../../db/queries/list-audit.ts";
import type { Asker } from "./asker.ts";
import { type auditListQuery, decodeAuditCursor, encodeAuditCursor } from "./audit-input.ts";
import type { AuditCount, AuditEntryAnswer, AuditItem, AuditPage } from "./audit-schema.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError } from "./console-error.ts";
import { csvResponse } from "./csv.ts";
import { consoleDatabase } from "./database.ts";

const RELATED_MAX = 50;
const EXPORT_PAGE = 500;

/** One page of the audit log. An asker with scopes sees the entries of those event types and its own. */
export async function listAudit(asker: Asker, query: z.output<typeof auditListQuery>): Promise<AuditPage> {
  const { limit, cursor: text, ...asked } = query;
  const filter = withinReach(asker, asked);
  const cursor = text === undefined ? undefined : decodeAuditCursor(text, filter);
  const encode = (to: AuditCursor | undefined) => to && encodeAuditCursor(to, filter);
  return consoleDatabase().use(async (session) => {
    const page = await readPage(session, { filter, limit, cursor });
    return {
      asOf: (await readDatabaseNow(session)).toISOString(),
      items: page.items.map(itemOf),
      nextCursor: encode(page.older),
      prevCursor: encode(page.newer),
      searchedEntries: page.stoppedAfter,
    };
  });
}

/** How many entries a filter admits; asked for apart from the rows, which need not wait for it. */
export function countAudit(asker: Asker, asked: AuditFilter): Promise<AuditCount> {
  return consoleDatabase().use((session) => count(session, withinReach(asker, asked)));
}

/** One entry with what changed, and the other entries of the same action. @throws ConsoleError audit_entry_not_found */
export function showAuditEntry(asker: Asker, id: string): Promise<AuditEntryAnswer> {
  return consoleDatabase().use(async (session) => {
    const entry = await findAuditEntry(session, id);
    if (!entry) throw new ConsoleError("audit_entry_not_found", `there is no audit entry ${id}`);
    mustReach(asker, entry);
    const filter = withinReach(asker, { correlation: entry.correlation });
    const related =
      entry.correlation === undefined ? [] : (await readPage(session, { filter, limit: RELATED_MAX + 1 })).items;
    return {
      asOf: (await readDatabaseNow(session)).toISOString(),
      entry: itemOf(entry),
      detail: entry.detail === undefined ? undefined : parsed(entry.detail),
      related: related
        .filter((other) => other.id !== id)
        .slice(0, RELATED_MAX)
        .map(itemOf),
    };
  });
}

/** The entries of a filter as a CSV file, newest first, details included. That it was taken is an entry of its own. */
export async function exportAudit(asker: Asker, asked: AuditFilter): Promise<Response> {
  asker.mustMay("lists.export");
  const filter = withinReach(asker, asked);
  const database = consoleDatabase();
  const response = await csvResponse({ name: "audit.csv", header: CSV_COLUMNS, rows: rowsOf(filter) });
  try {
    const { from, to, ...rest } = asked;
    const detail = { filter: { ...rest, from: from?.toISOString(), to: to?.toISOString() } };
    await database.retryingTransaction((session) =>
      insertAudit(session, {
        ...auditedBy(asker),
        action: "audit.export",
        objectKind: "list",
        objectId: "audit",
        result: "ok",
        detail,
      }),
    );
  } catch (error) {
    // Not written down, not handed out.
    await response.body?.cancel();
    throw error;
  }
  return response;
}

const CSV_COLUMNS = [
  ...["id", "at", "actor", "actorKind", "role", "action", "objectKind", "objectId", "eventType", "result"],
  ...["reason", "ip", "requestId", "correlation", "detail"],
] as const;

async function* rowsOf(filter: AuditFilter) {
  for (let cursor: AuditCursor | undefined; ;) {
    const after = cursor;
    const page = await consoleDatabase().use((session) =>
      readPage(session, { filter, limit: EXPORT_PAGE, cursor: after, withDetail: true }),
    );
    for (const entry of page.items) yield CSV_COLUMNS.map((column) => entry[column as keyof AuditEntry]);
    if (!page.older) return;
    cursor = page.older;
  }
}

function withinReach(asker: Asker, asked: AuditFilter): AuditFilter {
  if (asked.eventType !== undefined) asker.mustSee(asked.eventType);
  if (asker.scopes === undefined) return asked;
  return { ...asked, within: { eventTypes: asker.scopes, actor: asker.actor, actorKind: asker.actorKind } };
}

function mustReach(asker: Asker, { actor, actorKind, eventType }: AuditEntry): void {
  if (asker.scopes === undefined || (actor === asker.actor && actorKind === asker.actorKind)) return;
  if (eventType === undefined) throw new ConsoleError("out_of_scope", "this entry is out of this account's scope");
  asker.mustSee(eventType);
}

function itemOf({ detail: _, at, ...entry }: AuditEntry): AuditItem {
  return { ...entry, at: at.toISOString() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
