import { sql, type SQL } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { taskArchive } from "../schema/task-archive.ts";
import { idLiteral, type Session } from "../session.ts";
import { type BulkCursor, CANDIDATE_ROWS_MAX } from "./bulk-candidates.ts";
import type { ArchivedRef, BulkFilter } from "./bulk-scope.ts";
import { BATCH_ROWS_MAX } from "./claim-tasks.ts";

/** An archived task that the filter means, and where the walk stands once it has been dealt with. */
export interface ReplayCandidate extends ArchivedRef {
  readonly cursor: BulkCursor;
}

export interface ReplayPage {
  readonly candidates: readonly ReplayCandidate[];
  /** Where the next page begins; undefined: that was the last. */
  readonly next: BulkCursor | undefined;
}

/** One range of an index of the archive; the lanes of a filter together hold all that it means, but what was picked. */
export interface ReplayLane {
  readonly index: "idx_type_time" | "idx_cause";
  readonly equals: SQL;
}

/** The lanes of a filter: its cause, or each of its event types. */
export function replayLanes({ archive, eventTypes }: BulkFilter): readonly ReplayLane[] {
  if (archive?.cause !== undefined) return [{ index: "idx_cause", equals: sql`error_fingerprint = ${archive.cause}` }];
  return eventTypes.map((eventType) => ({ index: "idx_type_time", equals: sql`event_type = ${eventType}` }));
}

/** Where a walk over the archived tasks of a filter begins. */
export function firstReplayCursor({ archive }: BulkFilter): BulkCursor {
  return archive?.picked === undefined ? { kind: "archive", lane: 0 } : { kind: "ids", next: 0 };
}

/**
 * The next archived tasks that a filter means, those that were archived first before the others, without a lock: along
 * one index lane by lane, or those that were picked. One call is bounded work; a page may be empty and still have a next one.
 */
export async function listReplayCandidates(
  session: Session,
  filter: BulkFilter,
  cursor: BulkCursor,
): Promise<ReplayPage> {
  switch (cursor.kind) {
    case "archive":
      return listOfLane(session, filter, cursor);
    case "ids":
      return listPicked(filter, cursor);
    case "range":
    case "items":
      throw new RangeError("archived tasks are not found by a cursor among live ones");
  }
}

async function listOfLane(
  session: Session,
  filter: BulkFilter,
  cursor: Extract<BulkCursor, { kind: "archive" }>,
): Promise<ReplayPage> {
  const lanes = replayLanes(filter);
  const lane = lanes[cursor.lane];
  if (lane === undefined) return { candidates: [], next: undefined };
  const { at, id } = cursor;
  const after =
    at === undefined || id === undefined
      ? sql``
      : sql`AND archived_time >= ${at} AND (archived_time > ${at} OR id > ${idLiteral(id)})`;
  const rows = await session.rows<{ id: string; at: string; matches: number | string }>(
    sql`SELECT CAST(id AS CHAR) AS id, CAST(archived_time AS CHAR) AS at, (${restCondition(filter)}) AS matches
      FROM ${taskArchive} FORCE INDEX (${sql.raw(lane.index)}) WHERE ${lane.equals} ${withinTime(session, filter)} ${after}
      ORDER BY ${taskArchive.archivedTime}, ${taskArchive.id} LIMIT ${sql.raw(String(CANDIDATE_ROWS_MAX))}`,
  );
  const last = rows.at(-1);
  const isLastOfLane = rows.length < CANDIDATE_ROWS_MAX || last === undefined;
  const nextLane: BulkCursor | undefined =
    cursor.lane + 1 < lanes.length ? { kind: "archive", lane: cursor.lane + 1 } : undefined;
  return {
    candidates: rows
      .filter(({ matches }) => Number(matches) === 1)
      .map((row) => ({
        id: row.id,
        archivedAt: session.zone.parseInstant(row.at).toISOString(),
        cursor: { kind: "archive", lane: cursor.lane, at: row.at, id: row.id },
      })),
    next: isLastOfLane ? nextLane : { kind: "archive", lane: cursor.lane, at: last.at, id: last.id },
  };
}

/** Those that were picked are looked at in their batch only, so that each of them is told of, whatever became of it. */
function listPicked({ archive }: BulkFilter, cursor: Extract<BulkCursor, { kind: "ids" }>): ReplayPage {
  const picked = archive?.picked ?? [];
  const end = Math.min(picked.length, cursor.next + BATCH_ROWS_MAX);
  return {
    candidates: picked
      .slice(cursor.next, end)
      .map((ref, at) => ({ ...ref, cursor: { kind: "ids", next: cursor.next + at + 1 } })),
    next: end < picked.length ? { kind: "ids", next: end } : undefined,
  };
}

/** The part of a filter that bounds the days of the archive which are looked at. */
export function withinTime({ zone }: Session, { archive }: BulkFilter): SQL {
  const from = archive?.from === undefined ? sql`` : sql`AND archived_time >= ${zone.format(new Date(archive.from))}`;
  const to = archive?.to === undefined ? sql`` : sql`AND archived_time < ${zone.format(new Date(archive.to))}`;
  return sql`${from} ${to}`;
}

/** The part of a filter that its lanes do not decide. */
export function restCondition({ archive, eventTypes }: BulkFilter): SQL {
  const conditions: SQL[] = [];
  if (archive?.status !== undefined) conditions.push(sql`status = ${STATUS_CODE[archive.status]}`);
  if (archive?.cause !== undefined) {
    const names = eventTypes.map((eventType) => sql`${eventType}`);
    conditions.push(names.length === 0 ? sql`FALSE` : sql`event_type IN (${sql.join(names, sql`, `)})`);
  }
  return conditions.length === 0 ? sql`TRUE` : sql.join(conditions, sql` AND `);
}
