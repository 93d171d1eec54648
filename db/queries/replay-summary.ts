import { sql } from "drizzle-orm";
import { statusFromCode, type TaskStatus } from "../schema/task-status.ts";
import { taskArchive } from "../schema/task-archive.ts";
import type { Session } from "../session.ts";
import type { ArchivedRef, BulkFilter } from "./bulk-scope.ts";
import { BATCH_ROWS_MAX } from "./claim-tasks.ts";
import { replayLanes, restCondition, withinTime } from "./replay-candidates.ts";
import { joinedArchive } from "./replay-sources.ts";

/** The archived tasks of one event type, one cause and one final state. */
export interface ArchivedGroup {
  readonly eventType: string;
  /** Undefined: without a fingerprint. */
  readonly cause: string | undefined;
  readonly status: TaskStatus | undefined;
  readonly count: number;
  readonly oldestAt: Date;
  readonly newestAt: Date;
  /** The newest of them. */
  readonly sample: ArchivedRef;
}

export interface ArchivedMatches {
  readonly groups: readonly ArchivedGroup[];
  readonly count: number;
  /** True: looking stopped at its limit, there may be more of them. */
  readonly isCapped: boolean;
}

/** Looking for a replay's archived tasks ends after so many rows. */
export const REPLAY_ROWS_MAX = 100_000;

const columns = sql.raw("id, archived_time, event_type, error_fingerprint, status");
const grouped = sql.raw(
  "a.event_type, a.error_fingerprint, a.status, COUNT(*) AS n, CAST(MIN(a.archived_time) AS CHAR) AS oldest, CAST(MAX(a.archived_time) AS CHAR) AS newest, " +
    "MAX(CONCAT(CAST(a.archived_time AS CHAR), ' ', a.id)) AS sample",
);
const byGroup = sql.raw("GROUP BY a.event_type, a.error_fingerprint, a.status");

interface GroupRow {
  readonly event_type: string;
  readonly error_fingerprint: string | null;
  readonly status: number;
  readonly n: string | number;
  readonly oldest: string;
  readonly newest: string;
  readonly sample: string;
}

/**
 * Counts the archived tasks that a replay's filter means, by type, cause and final state, by a plain read: those that
 * were picked by their keys, else at most `rowsMax` rows along the filter's indexes.
 */
export async function summarizeArchived(
  session: Session,
  filter: BulkFilter,
  rowsMax = REPLAY_ROWS_MAX,
): Promise<ArchivedMatches> {
  const picked = filter.archive?.picked;
  const groups: ArchivedGroup[] = [];
  if (picked !== undefined) {
    for (let start = 0; start < picked.length; start += BATCH_ROWS_MAX) {
      const refs = picked.slice(start, start + BATCH_ROWS_MAX);
      const rows = await session.rows<GroupRow>(sql`SELECT ${grouped} FROM ${joinedArchive(session, refs)} ${byGroup}`);
      groups.push(...rows.map((row) => groupOf(session, row)));
    }
    return matchesOf(groups, false);
  }
  let looked = 0;
  for (const lane of replayLanes(filter)) {
    if (looked >= rowsMax) break;
    const walked = sql`(SELECT ${columns} FROM ${taskArchive} FORCE INDEX (${sql.raw(lane.index)})
      WHERE ${lane.equals} ${withinTime(session, filter)} LIMIT ${sql.raw(String(rowsMax - looked))}) AS a`;
    const rows = await session.rows<GroupRow & { readonly matches: number }>(
      sql`SELECT ${grouped}, (${restCondition(filter)}) AS matches FROM ${walked} ${byGroup}`,
    );
    looked += rows.reduce((sum, { n }) => sum + Number(n), 0);
    groups.push(...rows.filter(({ matches }) => Number(matches) === 1).map((row) => groupOf(session, row)));
  }
  return matchesOf(groups, looked >= rowsMax);
}

function groupOf({ zone }: Session, row: GroupRow): ArchivedGroup {
  const [day = "", time = "", id = ""] = row.sample.split(" ");
  return {
    eventType: row.event_type,
    cause: row.error_fingerprint ?? undefined,
    status: statusFromCode(Number(row.status)),
    count: Number(row.n),
    oldestAt: zone.parseInstant(row.oldest),
    newestAt: zone.parseInstant(row.newest),
    sample: { id, archivedAt: zone.parseInstant(`${day} ${time}`).toISOString() },
  };
}

function matchesOf(groups: readonly ArchivedGroup[], isCapped: boolean): ArchivedMatches {
  return { groups, count: groups.reduce((sum, { count }) => sum + count, 0), isCapped };
}
