import { sql, type SQL } from "drizzle-orm";
import { audit, type ActorKind, type AuditResult } from "../schema/audit.ts";
import { idLiteral, idRows, type Session } from "../session.ts";

/** Which entries are asked for; what is left out admits all. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  /** `task.reset`, or all of one noun: `task.*`. */
  readonly action?: string | undefined;
  readonly objectKind?: string | undefined;
  /** Goes with `objectKind`. */
  readonly objectId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly result?: AuditResult | undefined;
  readonly correlation?: string | undefined;
  readonly from?: Date | undefined;
  /** Not included. */
  readonly to?: Date | undefined;
  /** What the reader may see: entries of these event types and the reader's own. Left out: all. */
  readonly within?:
    { readonly eventTypes: readonly string[]; readonly actor: string; readonly actorKind: ActorKind } | undefined;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly actorKind: string;
  readonly role: string | undefined;
  readonly action: string;
  readonly objectKind: string;
  readonly objectId: string | undefined;
  readonly eventType: string | undefined;
  readonly result: string;
  readonly reason: string | undefined;
  readonly ip: string | undefined;
  readonly requestId: string | undefined;
  readonly correlation: string | undefined;
  /** JSON text of what was before and after; read only if it is asked for. */
  readonly detail: string | undefined;
}

/** Where a page begins: at the entry with this id, not included, towards older or newer entries. */
export interface AuditCursor {
  readonly id: string;
  readonly towards: "older" | "newer";
}

export interface AuditPage {
  /** Newest first. */
  readonly items: readonly AuditEntry[];
  readonly older: AuditCursor | undefined;
  readonly newer: AuditCursor | undefined;
  /** Entries looked at when the page ended for that reason and not because it was full or nothing more was there. */
  readonly stoppedAfter: number | undefined;
}

/** Filters that no index serves look at so many entries for one page, and at so many for a count. */
export const AUDIT_SCAN_MAX = 20_000;
const COUNT_SCAN_MAX = 50_000;
export const AUDIT_COUNT_MAX = 10_000;

/**
 * One page of the audit log in the order of ids, which is the order of writing; entries neither repeat nor vanish while
 * others are added. Actor, object and correlation are read along their index, all else along the primary key; filters
 * that no index serves apply within `AUDIT_SCAN_MAX` entries, and the page then says how far it got.
 */
export async function listAudit(
  session: Session,
  params: {
    readonly filter: AuditFilter;
    readonly limit: number;
    readonly cursor?: AuditCursor | undefined;
    readonly withDetail?: boolean;
  },
): Promise<AuditPage> {
  const { filter, cursor } = params;
  const limit = Math.max(1, Math.min(500, Math.trunc(params.limit)));
  const towards = cursor?.towards ?? "older";
  const scan = await scanOf(session, filter, cursor);
  const rest = restOf(session, filter);
  const order = sql.raw(towards === "older" ? "DESC" : "ASC");
  const scanLimit = rest === undefined ? limit + 1 : AUDIT_SCAN_MAX;
  const scanned = sql`SELECT ${SCANNED} FROM ${audit} FORCE INDEX (${scan.index})
    WHERE ${scan.where} ORDER BY id ${order} LIMIT ${sql.raw(String(scanLimit))}`;
  const found = await session.rows<{ id: string }>(
    rest === undefined
      ? scanned
      : sql`SELECT scan.id FROM (${scanned}) AS scan WHERE ${rest} ORDER BY scan.id ${order} LIMIT ${sql.raw(String(limit + 1))}`,
  );
  const ids = found.map(({ id }) => String(id));
  const isFull = ids.length > limit;
  const end = rest === undefined || isFull ? undefined : await scanEnd(session, scan, towards);
  const shown = ids.slice(0, limit);
  const items = await readEntries(session, shown, params.withDetail ?? false);
  const forward = isFull ? shown.at(-1) : end;
  const ahead: AuditCursor | undefined = forward === undefined ? undefined : { id: forward, towards };
  const behind = cursor && backwards(cursor, shown[0]);
  return {
    items,
    ...(towards === "older" ? { older: ahead, newer: behind } : { older: behind, newer: ahead }),
    stoppedAfter: end === undefined ? undefined : AUDIT_SCAN_MAX,
  };
}

/** How many entries a filter admits, as far as a bounded search tells: at least `count` if `isCapped`. */
export async function countAudit(
  session: Session,
  filter: AuditFilter,
): Promise<{ readonly count: number; readonly isCapped: boolean }> {
  const scan = await scanOf(session, filter, undefined);
  const rest = restOf(session, filter);
  const scanLimit = rest === undefined ? AUDIT_COUNT_MAX + 1 : COUNT_SCAN_MAX + 1;
  const [row] = await session.rows<{ scanned: string | number; found: string | number }>(
    sql`SELECT COUNT(*) AS scanned, COALESCE(SUM(${rest ?? sql`1`}), 0) AS found FROM (
      SELECT ${SCANNED} FROM ${audit} FORCE INDEX (${scan.index})
      WHERE ${scan.where} ORDER BY id DESC LIMIT ${sql.raw(String(scanLimit))}) AS scan`,
  );
  const found = Number(row?.found ?? 0);
  return {
    count: Math.min(found, AUDIT_COUNT_MAX),
    isCapped: found > AUDIT_COUNT_MAX || Number(row?.scanned ?? 0) >= scanLimit,
  };
}

/** One entry with its detail. */
export async function findAuditEntry(session: Session, id: string): Promise<AuditEntry | undefined> {
  return (await readEntries(session, [id], true))[0];
}

/** What the filters without an index look at. */
const SCANNED = sql.raw("id, actor, actor_kind, action, object_kind, event_type, result, correlation, create_time");

interface Scan {
  readonly index: SQL;
  readonly where: SQL;
}

/** The part of a filter that is read along an index, from a cursor on. */
async function scanOf(session: Session, filter: AuditFilter, cursor: AuditCursor | undefined): Promise<Scan> {
  const { index, key } = indexOf(filter);
  const conditions: SQL[] = key === undefined ? [] : [key];
  if (cursor)
    conditions.push(cursor.towards === "older" ? sql`id < ${idLiteral(cursor.id)}` : sql`id > ${idLiteral(cursor.id)}`);
  if (filter.from) conditions.push(sql`id > ${idLiteral(await idBefore(session, filter.from))}`);
  if (filter.to) conditions.push(sql`id < ${idLiteral(await idAfter(session, filter.to))}`);
  return { index: sql.raw(index), where: conditions.length === 0 ? sql`id > 0` : sql.join(conditions, sql` AND `) };
}

/** The index whose first columns a filter names, and its condition on them. */
function indexOf({ objectKind, objectId, correlation, actor }: AuditFilter): { index: string; key: SQL | undefined } {
  if (objectKind !== undefined && objectId !== undefined) {
    return { index: "idx_object", key: sql`object_kind = ${objectKind} AND object_id = ${objectId}` };
  }
  if (correlation !== undefined) return { index: "idx_correlation", key: sql`correlation = ${correlation}` };
  if (actor !== undefined) return { index: "idx_actor", key: sql`actor = ${actor}` };
  return { index: "PRIMARY", key: undefined };
}

/** The part of a filter that each scanned entry is held against; undefined if nothing is left. */
function restOf(session: Session, filter: AuditFilter): SQL | undefined {
  const conditions: SQL[] = [];
  const { action, objectKind, objectId, correlation, actor, eventType, result, from, to, within } = filter;
  const { index } = indexOf(filter);
  if (action?.endsWith(".*")) {
    const noun = action.slice(0, -1);
    conditions.push(sql`LEFT(scan.action, ${sql.raw(String(noun.length))}) = ${noun}`);
  } else if (action !== undefined) conditions.push(sql`scan.action = ${action}`);
  if (objectKind !== undefined && objectId === undefined) conditions.push(sql`scan.object_kind = ${objectKind}`);
  if (correlation !== undefined && index !== "idx_correlation") {
    conditions.push(sql`scan.correlation = ${correlation}`);
  }
  if (actor !== undefined && index !== "idx_actor") conditions.push(sql`scan.actor = ${actor}`);
  if (eventType !== undefined) conditions.push(sql`scan.event_type = ${eventType}`);
  if (result !== undefined) conditions.push(sql`scan.result = ${result}`);
  if (from) conditions.push(sql`scan.create_time >= ${session.zone.format(from)}`);
  if (to) conditions.push(sql`scan.create_time < ${session.zone.format(to)}`);
  if (within) {
    const own = sql`(scan.actor = ${within.actor} AND scan.actor_kind = ${within.actorKind})`;
    const types = within.eventTypes.map((name) => sql`${name}`);
    conditions.push(types.length === 0 ? own : sql`(${own} OR scan.event_type IN (${sql.join(types, sql`, `)}))`);
  }
  return conditions.length === 0 ? undefined : sql.join(conditions, sql` AND `);
}

/** Statements take less than this, so two entries whose times are further apart have ids in the order of their times. */
const SLACK_MS = 60_000;

/** An id that is lower than that of every entry from an instant on. */
async function idBefore(session: Session, instant: Date): Promise<string> {
  const limit = session.zone.format(new Date(instant.getTime() - SLACK_MS));
  const [row] = await session.rows<{ id: string }>(
    sql`SELECT id FROM ${audit} FORCE INDEX (idx_time) WHERE create_time < ${limit} ORDER BY create_time DESC, id DESC LIMIT 1`,
  );
  return row ? String(row.id) : "0";
}

/** An id that is higher than that of every entry before an instant. */
async function idAfter(session: Session, instant: Date): Promise<string> {
  const limit = session.zone.format(new Date(instant.getTime() + SLACK_MS));
  const [row] = await session.rows<{ id: string }>(
    sql`SELECT id FROM ${audit} FORCE INDEX (idx_time) WHERE create_time > ${limit} ORDER BY create_time, id LIMIT 1`,
  );
  return row ? String(row.id) : ID_MAX;
}

const ID_MAX = "9223372036854775807";

/** The last entry of a scan that ended at its limit, to go on from there; undefined if it saw all there is. */
async function scanEnd(session: Session, scan: Scan, towards: AuditCursor["towards"]): Promise<string | undefined> {
  const [order, last] = towards === "older" ? ["DESC", "MIN"] : ["ASC", "MAX"];
  const [row] = await session.rows<{ scanned: string | number; last: string | null }>(
    sql`SELECT COUNT(*) AS scanned, ${sql.raw(last)}(id) AS last FROM (SELECT id FROM ${audit} FORCE INDEX (${scan.index})
      WHERE ${scan.where} ORDER BY id ${sql.raw(order)} LIMIT ${sql.raw(String(AUDIT_SCAN_MAX))}) AS scan`,
  );
  return row && row.last !== null && Number(row.scanned) >= AUDIT_SCAN_MAX ? String(row.last) : undefined;
}

/** Where the page lies from which a person came: it begins at the first entry shown, or at the cursor if none is. */
function backwards({ id, towards }: AuditCursor, first: string | undefined): AuditCursor {
  if (towards === "older") {
    return { towards: "newer", id: first ?? (BigInt(id) - 1n).toString() };
  }
  return { towards: "older", id: first ?? (BigInt(id) + 1n).toString() };
}

interface AuditRow {
  readonly id: string;
  readonly create_time: string;
  readonly actor: string;
  readonly actor_kind: string;
  readonly role: string | null;
  readonly action: string;
  readonly object_kind: string;
  readonly object_id: string | null;
  readonly event_type: string | null;
  readonly result: string;
  readonly reason: string | null;
  readonly ip: string | null;
  readonly request_id: string | null;
  readonly correlation: string | null;
  readonly detail?: string | null;
}

/** Entries by id, newest first. */
async function readEntries(session: Session, ids: readonly string[], withDetail: boolean): Promise<AuditEntry[]> {
  if (ids.length === 0) return [];
  const rows = await session.rows<AuditRow>(
    sql`SELECT CAST(a.id AS CHAR) AS id, a.create_time, a.actor, a.actor_kind, a.role, a.action, a.object_kind, a.object_id,
      a.event_type, a.result, a.reason, a.ip, a.request_id, a.correlation ${withDetail ? sql`, a.detail` : sql``}
      FROM ${idRows(ids)} AS wanted STRAIGHT_JOIN ${audit} AS a ON a.id = wanted.id`,
  );
  return rows.map((row) => entryOf(session, row)).sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));
}

function entryOf(session: Session, row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: session.zone.parseInstant(row.create_time),
    actor: row.actor,
    actorKind: row.actor_kind,
    role: row.role ?? undefined,
    action: row.action,
    objectKind: row.object_kind,
    objectId: row.object_id ?? undefined,
    eventType: row.event_type ?? undefined,
    result: row.result,
    reason: row.reason ?? undefined,
    ip: row.ip ?? undefined,
    requestId: row.request_id ?? undefined,
    correlation: row.correlation ?? undefined,
    detail: row.detail ?? undefined,
  };
}
