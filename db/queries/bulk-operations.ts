import { sql, type SQL } from "drizzle-orm";
import { bulk, type BulkAction, type BulkState, type CanaryVerdict } from "../schema/bulk.ts";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";
import type { BulkCursor } from "./bulk-candidates.ts";
import { type BulkBounds, type BulkScope, parseFilter, storedFilter } from "./bulk-scope.ts";
import { laterBy } from "./insert-tasks.ts";

/** A stored bulk action. */
export interface BulkRow extends BulkScope {
  readonly id: string;
  readonly name: string;
  readonly cursor: BulkCursor | undefined;
  readonly state: BulkState;
  readonly stateReason: string | undefined;
  readonly ratePerSecond: number | undefined;
  readonly jitterMs: number;
  readonly canaryRows: number;
  readonly canaryShare: number | undefined;
  readonly canaryVerdict: CanaryVerdict | undefined;
  readonly reason: string;
  readonly actor: string;
  readonly approvedBy: string | undefined;
  readonly estimate: number;
  readonly doneCount: number;
  readonly skippedCount: number;
  readonly owner: string | undefined;
  readonly beatAt: Date | undefined;
  /** `bounds.boundTime` as an instant. */
  readonly boundAt: Date;
  readonly createdAt: Date;
  readonly startAt: Date;
  readonly finishedAt: Date | undefined;
  /** Milliseconds until it may begin, by the database's clock; 0 or less: it may. */
  readonly startsInMs: number;
}

interface StoredBulk {
  readonly [column: string]: string | number | null;
}

const bulkColumns = (session: Session): SQL =>
  sql`CAST(id AS CHAR) AS id, name, action, filter, CAST(max_id AS CHAR) AS max_id, CAST(bound_time AS CHAR) AS bound_time, cursor_text,
    state, state_reason, rate_per_second, jitter_ms, canary_rows, canary_share, canary_verdict, reason, actor, approved_by, estimate,
    done_count, skipped_count, owner, beat_time, create_time, start_time, finish_time,
    CEIL(TIMESTAMPDIFF(MICROSECOND, ${session.now}, start_time) / 1000) AS starts_in_ms`;

function bulkOf(session: Session, row: StoredBulk): BulkRow {
  const text = (column: string) => (row[column] === null ? undefined : String(row[column]));
  const number = (column: string) => (row[column] === null ? undefined : Number(row[column]));
  const instant = (column: string) => {
    const stored = text(column);
    return stored === undefined ? undefined : session.zone.parseInstant(stored);
  };
  const cursor = text("cursor_text");
  return {
    id: String(row["id"]),
    name: String(row["name"]),
    action: String(row["action"]) as BulkAction,
    filter: parseFilter(String(row["filter"])),
    bounds: { maxId: String(row["max_id"]), boundTime: String(row["bound_time"]) },
    cursor: cursor === undefined ? undefined : (JSON.parse(cursor) as BulkCursor),
    state: String(row["state"]) as BulkState,
    stateReason: text("state_reason"),
    ratePerSecond: number("rate_per_second"),
    jitterMs: Number(row["jitter_ms"]),
    canaryRows: Number(row["canary_rows"]),
    canaryShare: number("canary_share"),
    canaryVerdict: text("canary_verdict") as CanaryVerdict | undefined,
    reason: text("reason") ?? "",
    actor: String(row["actor"]),
    approvedBy: text("approved_by"),
    estimate: Number(row["estimate"]),
    doneCount: Number(row["done_count"]),
    skippedCount: Number(row["skipped_count"]),
    owner: text("owner"),
    beatAt: instant("beat_time"),
    boundAt: session.zone.parseInstant(String(row["bound_time"])),
    createdAt: session.zone.parseInstant(String(row["create_time"])),
    startAt: session.zone.parseInstant(String(row["start_time"])),
    finishedAt: instant("finish_time"),
    startsInMs: Number(row["starts_in_ms"]),
  };
}

export interface NewBulk extends BulkScope {
  readonly name: string;
  readonly requestKey?: string | undefined;
  readonly state: Extract<BulkState, "scheduled" | "awaiting_approval">;
  readonly ratePerSecond: number | undefined;
  readonly jitterMs: number;
  readonly canaryRows: number;
  readonly canaryShare: number | undefined;
  readonly reason: string;
  readonly actor: string;
  readonly estimate: number;
  /** It begins so long after now, unless somebody takes it back before. */
  readonly startDelayMs: number;
}

/** Stores an action; answers its id. A request key that was used before raises 1062. */
export async function insertBulk(session: Session, one: NewBulk): Promise<string> {
  const { now } = session;
  const { insertId } = await session.change(
    sql`INSERT INTO ${bulk} (name, action, filter, max_id, bound_time, request_key, state, rate_per_second, jitter_ms, canary_rows,
      canary_share, reason, actor, estimate, create_time, start_time, update_time) VALUES (${one.name}, ${one.action},
      ${storedFilter(one.filter)}, ${idLiteral(one.bounds.maxId)}, ${one.bounds.boundTime}, ${one.requestKey ?? null}, ${one.state},
      ${one.ratePerSecond ?? null}, ${one.jitterMs}, ${one.canaryRows}, ${one.canaryShare ?? null}, ${one.reason}, ${one.actor},
      ${one.estimate}, ${now}, ${laterBy(session, one.startDelayMs)}, ${now})`,
  );
  return String(insertId);
}

/** What bounds an action that is made now: the newest task there is, and the present instant. */
export async function readBulkBounds(session: Session): Promise<BulkBounds> {
  const [row] = await session.rows<{ max_id: string | null; now: string }>(
    sql`SELECT CAST(MAX(id) AS CHAR) AS max_id, CAST(${session.now} AS CHAR) AS now FROM ${task}`,
  );
  return { maxId: row?.max_id ?? "0", boundTime: String(row?.now) };
}

/** One action, or undefined. */
export async function readBulk(session: Session, id: string): Promise<BulkRow | undefined> {
  const [row] = await session.rows<StoredBulk>(
    sql`SELECT ${bulkColumns(session)} FROM ${bulk} WHERE id = ${idLiteral(id)}`,
  );
  return row && bulkOf(session, row);
}

/** One action, its row locked for the caller's transaction: a batch under way ends first, none begins before. */
export async function lockBulk(session: Session, id: string): Promise<BulkRow | undefined> {
  const [row] = await session.rows<StoredBulk>(
    sql`SELECT ${bulkColumns(session)} FROM ${bulk} WHERE id = ${idLiteral(id)} FOR UPDATE`,
  );
  return row && bulkOf(session, row);
}

/** The action that this request has made already, or undefined. */
export async function findBulkByRequest(session: Session, requestKey: string): Promise<BulkRow | undefined> {
  const [row] = await session.rows<StoredBulk>(
    sql`SELECT ${bulkColumns(session)} FROM ${bulk} FORCE INDEX (uk_request) WHERE request_key = ${requestKey}`,
  );
  return row && bulkOf(session, row);
}

/** One page of all actions, newest first, below an id. */
export async function listBulks(
  session: Session,
  params: { readonly limit: number; readonly before?: string | undefined },
): Promise<BulkRow[]> {
  const before = params.before === undefined ? sql`` : sql`WHERE id < ${idLiteral(params.before)}`;
  const rows = await session.rows<StoredBulk>(
    sql`SELECT ${bulkColumns(session)} FROM ${bulk} ${before} ORDER BY ${bulk.id} DESC LIMIT ${sql.raw(String(Math.trunc(params.limit)))}`,
  );
  return rows.map((row) => bulkOf(session, row));
}

/** The actions in any of these states, at most 100 of them, through `idx_state`; those with the lowest id first. */
export async function listBulksInStates(session: Session, states: readonly BulkState[]): Promise<BulkRow[]> {
  const names = states.map((state) => sql`${state}`);
  const rows = await session.rows<StoredBulk>(
    sql`SELECT ${bulkColumns(session)} FROM ${bulk} FORCE INDEX (idx_state) WHERE state IN (${sql.join(names, sql`, `)}) LIMIT 100`,
  );
  return rows.map((row) => bulkOf(session, row)).sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
}
