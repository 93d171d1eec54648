import { sql, type SQL } from "drizzle-orm";
import { attempt } from "../schema/attempt.ts";
import { bulkItem } from "../schema/bulk.ts";
import { task } from "../schema/task.ts";
import { idLiteral, idRows, type Session } from "../session.ts";
import { type BulkScope, matchesScope, walkedStatus } from "./bulk-scope.ts";

/** The tasks of one event type and one cause. */
export interface MatchGroup {
  readonly eventType: string;
  /** Undefined: without a fingerprint. */
  readonly cause: string | undefined;
  readonly count: number;
  /** When the first and the last of them ended or were written last. */
  readonly oldestAt: Date;
  readonly newestAt: Date;
  /** One of them, the newest by id. */
  readonly sampleId: string;
}

export interface MatchSummary {
  readonly groups: readonly MatchGroup[];
  readonly count: number;
  /** True: looking stopped at its limit, there may be more of them. */
  readonly isCapped: boolean;
}

/** Looking for an action's tasks ends after so many index entries. */
export const MATCH_ROWS_MAX = 200_000;

/**
 * Counts the tasks that an action would change at this moment, by event type and cause, without a lock. Reads at most
 * `rowsMax` entries of `idx_claim` (or the given ids, or another action's items) and each of their rows by its key.
 */
export async function summarizeMatches(
  session: Session,
  scope: BulkScope,
  rowsMax = MATCH_ROWS_MAX,
): Promise<MatchSummary> {
  const groups: MatchGroup[] = [];
  let left = rowsMax;
  for (const candidates of candidateSources(scope)) {
    if (left <= 0) return summaryOf(groups, true);
    const list = candidates(left);
    const [found] = await session.rows<{ n: string | number }>(sql`SELECT COUNT(*) AS n FROM ${list} AS list`);
    const looked = Number(found?.n ?? 0);
    if (looked === 0) continue;
    left -= looked;
    const rows = await session.rows<GroupRow>(
      sql`SELECT t.event_type, t.error_fingerprint, COUNT(*) AS n, MIN(COALESCE(t.finished_time, t.update_time)) AS oldest,
        MAX(COALESCE(t.finished_time, t.update_time)) AS newest, CAST(MAX(t.id) AS CHAR) AS sample
        FROM ${list} AS list STRAIGHT_JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id
        WHERE ${matchesScope(session, scope)} GROUP BY t.event_type, t.error_fingerprint`,
    );
    groups.push(...rows.map((row) => groupOf(session, row)));
  }
  return summaryOf(groups, left <= 0);
}

interface GroupRow {
  readonly event_type: string;
  readonly error_fingerprint: string | null;
  readonly n: string | number;
  readonly oldest: string;
  readonly newest: string;
  readonly sample: string;
}

function groupOf(session: Session, row: GroupRow): MatchGroup {
  return {
    eventType: row.event_type,
    cause: row.error_fingerprint ?? undefined,
    count: Number(row.n),
    oldestAt: session.zone.parseInstant(row.oldest),
    newestAt: session.zone.parseInstant(row.newest),
    sampleId: row.sample,
  };
}

function summaryOf(groups: readonly MatchGroup[], isCapped: boolean): MatchSummary {
  return { groups, count: groups.reduce((sum, { count }) => sum + count, 0), isCapped };
}

/** Where the tasks of an action are looked for: each source is a table of one column `id`, of at most `limit` rows. */
function candidateSources({ filter }: BulkScope): readonly ((limit: number) => SQL)[] {
  const { ids, bulkId, eventTypes } = filter;
  if (bulkId !== undefined) {
    return [
      (
        limit,
      ) => sql`(SELECT task_id AS id FROM ${bulkItem} FORCE INDEX (idx_result) WHERE bulk_id = ${idLiteral(bulkId)}
        AND result = 'done' ORDER BY task_id LIMIT ${sql.raw(String(limit))})`,
    ];
  }
  if (ids !== undefined) return ids.length === 0 ? [] : [() => idRows(ids)];
  return eventTypes.map(
    (eventType) => (limit: number) =>
      sql`(SELECT id FROM ${task} FORCE INDEX (idx_claim) WHERE event_type = ${eventType} AND status = ${walkedStatus(filter)}
        ORDER BY next_retry_time, id LIMIT ${sql.raw(String(limit))})`,
  );
}

/** A task as a dry run shows it: no payload, the head of the error only. */
export interface MatchSample {
  readonly id: string;
  readonly eventType: string;
  readonly bizKey: string;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly errorHead: string | undefined;
}

/** These tasks as samples, by primary key, in the order of the ids given; those that are gone are left out. */
export async function readSamples(session: Session, ids: readonly string[]): Promise<MatchSample[]> {
  if (ids.length === 0) return [];
  const rows = await session.rows<{
    id: string;
    event_type: string;
    biz_key: string;
    retry_count: number;
    max_retry_count: number;
    error_head: string | null;
  }>(
    sql`SELECT CAST(t.id AS CHAR) AS id, t.event_type, t.biz_key, t.retry_count, t.max_retry_count, LEFT(t.last_error, 300) AS error_head
      FROM ${idRows(ids)} AS list STRAIGHT_JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    if (!row) return [];
    return [
      {
        id,
        eventType: row.event_type,
        bizKey: row.biz_key,
        retryCount: row.retry_count,
        maxRetryCount: row.max_retry_count,
        errorHead: row.error_head ?? undefined,
      },
    ];
  });
}

/** How many of these tasks were started anew `times` times or more before, by their history, through `idx_task`. */
export async function countResetBefore(session: Session, ids: readonly string[], times: number): Promise<number> {
  if (ids.length === 0) return 0;
  const [row] = await session.rows<{ n: string | number }>(
    sql`SELECT COUNT(*) AS n FROM (SELECT list.id FROM ${idRows(ids)} AS list STRAIGHT_JOIN ${attempt} AS a FORCE INDEX (idx_task)
      ON a.task_id = list.id WHERE a.kind = 'reset' GROUP BY list.id HAVING COUNT(*) >= ${sql.raw(String(Math.trunc(times)))}) AS again`,
  );
  return Number(row?.n ?? 0);
}
