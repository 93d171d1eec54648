import { sql, type SQL } from "drizzle-orm";
import { isContention } from "../mysql-errors.ts";
import { attempt } from "../schema/attempt.ts";
import { attemptArchive } from "../schema/attempt-archive.ts";
import { STATUS_CODE } from "../schema/task-status.ts";
import { taskArchive } from "../schema/task-archive.ts";
import { task } from "../schema/task.ts";
import type { Session } from "../session.ts";
import { literalText } from "../text-literal.ts";
import type { ArchivedRef } from "./bulk-scope.ts";
import type { TaskKey } from "./find-task-id.ts";

/** An archived task as far as a replay must judge it. */
export interface ReplaySource extends ArchivedRef, TaskKey {
  readonly hasSucceeded: boolean;
  readonly payloadBytes: number;
}

/** What a replay takes over from an archived task, and what the history says of it. */
export interface ReplayOriginal extends ReplaySource {
  readonly bizContext: string;
  readonly maxRetryCount: number;
  readonly retryStrategy: string;
  readonly firstRetryIntervalSeconds: number;
  readonly retryCount: number;
  readonly claimNo: number;
}

/** Names one archived task among others. */
export function refKey({ id, archivedAt }: ArchivedRef): string {
  return `${id} ${archivedAt}`;
}

/** Names a type and a key among others: a space may be part of either. */
export function taskKeyText({ eventType, bizKey }: TaskKey): string {
  return JSON.stringify([eventType, bizKey]);
}

interface SourceRow {
  readonly id: string;
  readonly at: string;
  readonly event_type: string;
  readonly biz_key: string;
  readonly status: number;
  readonly bytes: string | number;
}

interface OriginalRow extends SourceRow {
  readonly biz_context: string;
  readonly max_retry_count: number;
  readonly retry_strategy: string;
  readonly first_retry_interval: number;
  readonly retry_count: number;
  readonly claim_no: number;
}

const sourceColumns = sql.raw(
  "CAST(a.id AS CHAR) AS id, CAST(a.archived_time AS CHAR) AS at, a.event_type, a.biz_key, a.status, OCTET_LENGTH(a.biz_context) AS bytes",
);
const originalColumns = sql.raw(
  "a.biz_context, a.max_retry_count, a.retry_strategy, a.first_retry_interval, a.retry_count, a.claim_no",
);

/** Those of at most 200 archived tasks that are still there, without their payloads; a plain read by primary key. */
export async function readReplaySources(session: Session, refs: readonly ArchivedRef[]): Promise<ReplaySource[]> {
  if (refs.length === 0) return [];
  const rows = await session.rows<SourceRow>(sql`SELECT ${sourceColumns} FROM ${joinedArchive(session, refs)}`);
  return rows.map((row) => sourceOf(session, row));
}

/** The same with what a new task takes over, payloads included; the caller has seen to their size. */
export async function readReplayOriginals(session: Session, refs: readonly ArchivedRef[]): Promise<ReplayOriginal[]> {
  if (refs.length === 0) return [];
  const rows = await session.rows<OriginalRow>(
    sql`SELECT ${sourceColumns}, ${originalColumns} FROM ${joinedArchive(session, refs)}`,
  );
  return rows.map((row) => ({
    ...sourceOf(session, row),
    bizContext: row.biz_context,
    maxRetryCount: Number(row.max_retry_count),
    retryStrategy: row.retry_strategy,
    firstRetryIntervalSeconds: Number(row.first_retry_interval),
    retryCount: Number(row.retry_count),
    claimNo: Number(row.claim_no),
  }));
}

function sourceOf(session: Session, row: SourceRow): ReplaySource {
  return {
    id: row.id,
    archivedAt: session.zone.parseInstant(row.at).toISOString(),
    eventType: row.event_type,
    bizKey: row.biz_key,
    hasSucceeded: Number(row.status) === STATUS_CODE.succeeded,
    payloadBytes: Number(row.bytes),
  };
}

/** The archived rows `a` of a list, each by its whole key; no day outside the list's own is looked at. */
export function joinedArchive(session: Session, refs: readonly ArchivedRef[]): SQL {
  const { oldest, newest } = spanOf(session, refs);
  return sql`${refRows(session, refs)} AS list STRAIGHT_JOIN ${taskArchive} AS a FORCE INDEX (PRIMARY)
    ON a.id = list.id AND a.archived_time = list.at WHERE a.archived_time >= ${oldest} AND a.archived_time <= ${newest}`;
}

/**
 * Those of these archived tasks that are not the newest of their type and key in the whole archive, whatever a filter
 * says of the newer one; through `idx_biz`, in no day before the oldest of them.
 */
export async function findOlderCopies(
  session: Session,
  sources: readonly (ArchivedRef & TaskKey)[],
): Promise<ReadonlySet<string>> {
  if (sources.length === 0) return new Set();
  const { oldest } = spanOf(session, sources);
  const list = sources.map(
    (one) =>
      `${refSelect(session, one)}, ${literalText(one.bizKey)} AS biz_key, ${literalText(one.eventType)} AS event_type`,
  );
  return readRefs(
    session,
    sql`SELECT CAST(list.id AS CHAR) AS id, CAST(list.at AS CHAR) AS at FROM (${sql.raw(list.join(" UNION ALL "))}) AS list
      WHERE (SELECT 1 FROM ${taskArchive} AS a FORCE INDEX (idx_biz) WHERE a.biz_key = list.biz_key AND a.event_type = list.event_type
        AND a.archived_time >= ${oldest} AND (a.archived_time > list.at OR (a.archived_time = list.at AND a.id > list.id)) LIMIT 1) = 1`,
  );
}

/**
 * Those of these archived tasks that anybody has replayed, one by one or in bulk, by their history: it may still be in
 * the live table or have followed them into the archive. Through `idx_task` of both.
 */
export async function findReplayed(session: Session, refs: readonly ArchivedRef[]): Promise<ReadonlySet<string>> {
  if (refs.length === 0) return new Set();
  const { oldest } = spanOf(session, refs);
  // The entry of a task that was itself made by a replay begins with other words.
  const entry = sql.raw("e.kind = 'replayed' AND e.detail LIKE 'as task %'");
  return readRefs(
    session,
    sql`SELECT CAST(list.id AS CHAR) AS id, CAST(list.at AS CHAR) AS at FROM ${refRows(session, refs)} AS list
      WHERE (SELECT 1 FROM ${attempt} AS e FORCE INDEX (idx_task) WHERE e.task_id = list.id AND ${entry} AND e.create_time >= list.at LIMIT 1) = 1
        OR (SELECT 1 FROM ${attemptArchive} AS e FORCE INDEX (idx_task) WHERE e.task_id = list.id AND ${entry}
          AND e.archived_time >= ${oldest} AND e.create_time >= list.at LIMIT 1) = 1`,
  );
}

/**
 * Those of these keys, none of which is live as far as can be seen, under which somebody's open transaction has a row: an
 * insert of the key would wait for it. Asks without waiting; outside of any transaction, so that it holds nothing.
 */
export async function findHeldKeys(session: Session, keys: readonly TaskKey[]): Promise<readonly TaskKey[]> {
  if (keys.length === 0) return [];
  const list = keys
    .map((key) => `SELECT ${literalText(key.bizKey)} AS biz_key, ${literalText(key.eventType)} AS event_type`)
    .join(" UNION ALL ");
  try {
    await session.rows(
      sql`SELECT t.id FROM (${sql.raw(list)}) AS list STRAIGHT_JOIN ${task} AS t FORCE INDEX (uk_event_biz)
        ON t.biz_key = list.biz_key AND t.event_type = list.event_type FOR UPDATE NOWAIT`,
    );
    return [];
  } catch (error) {
    if (!isContention(error)) throw error;
    if (keys.length === 1) return keys;
    const half = Math.ceil(keys.length / 2);
    return [...(await findHeldKeys(session, keys.slice(0, half))), ...(await findHeldKeys(session, keys.slice(half)))];
  }
}

async function readRefs(session: Session, statement: SQL): Promise<ReadonlySet<string>> {
  const rows = await session.rows<{ id: string; at: string }>(statement);
  return new Set(rows.map(({ id, at }) => refKey({ id, archivedAt: session.zone.parseInstant(at).toISOString() })));
}

/** Archived tasks as a table of the columns `id` and `at`, in the order of their keys, to be joined with STRAIGHT_JOIN. */
export function refRows(session: Session, refs: readonly ArchivedRef[]): SQL {
  const sorted = [...refs].sort((one, other) => {
    const [a, b] = [BigInt(one.id), BigInt(other.id)];
    return a < b ? -1 : a > b ? 1 : one.archivedAt < other.archivedAt ? -1 : 1;
  });
  return sql.raw(`(${sorted.map((ref) => refSelect(session, ref)).join(" UNION ALL ")})`);
}

function refSelect({ zone }: Session, { id, archivedAt }: ArchivedRef): string {
  return `SELECT ${BigInt(id).toString()} AS id, CAST('${zone.format(new Date(archivedAt))}' AS DATETIME(3)) AS at`;
}

/** The first and the last instant of a list, as the database stores them. */
function spanOf({ zone }: Session, refs: readonly ArchivedRef[]): { readonly oldest: string; readonly newest: string } {
  const times = refs
    .map(({ archivedAt }) => new Date(archivedAt))
    .sort((one, other) => one.getTime() - other.getTime());
  const [first = new Date(0), last = first] = [times[0], times.at(-1)];
  return { oldest: zone.format(first), newest: zone.format(last) };
}
