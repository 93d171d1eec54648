import { sql } from "drizzle-orm";
import { attempt } from "../schema/attempt.ts";
import { idRows, type Session } from "../session.ts";
import { laterBy } from "./insert-tasks.ts";

/** Attempts of one kind that one look at the causes reads at most, the newest first. */
export const CAUSE_ATTEMPTS_MAX = 5_000;
const DAY_MS = 86_400_000;

/** Failed attempts of one cause and event type within one hour of the last 24. */
export interface CauseHour {
  /** Undefined: the attempts left no error text. */
  readonly fingerprint: string | undefined;
  readonly eventType: string;
  /** Whether the task failed for good with it, or was to be tried again. */
  readonly kind: "failed" | "retried";
  /** 0: the hour that ends now. */
  readonly hoursAgo: number;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The newest of these attempts. */
  readonly attemptId: string;
}

export interface CauseHours {
  readonly hours: readonly CauseHour[];
  /** Set if there were more attempts than were read: the counts begin here, at the oldest that was. */
  readonly countedSince: Date | undefined;
}

/**
 * The failed attempts of the last 24 hours by cause, type and hour. Reads at most `limit` entries of each kind along
 * `idx_kind_time` and groups these, so that the work is bounded on a day of millions of failures.
 */
export async function listCauseHours(session: Session, limit = CAUSE_ATTEMPTS_MAX): Promise<CauseHours> {
  const hours: CauseHour[] = [];
  let countedSince: Date | undefined;
  for (const kind of ["failed", "retried"] as const) {
    const found = await listHoursOf(session, kind, limit);
    hours.push(...found);
    if (found.reduce((sum, { count }) => sum + count, 0) < limit) continue;
    // The shorter of the two reaches decides: before it one kind is missing.
    const oldest = new Date(Math.min(...found.map(({ firstAt }) => firstAt.getTime())));
    if (countedSince === undefined || oldest > countedSince) countedSince = oldest;
  }
  return { hours, countedSince };
}

async function listHoursOf(session: Session, kind: CauseHour["kind"], limit: number): Promise<CauseHour[]> {
  const rows = await session.rows<{
    fingerprint: string | null;
    event_type: string;
    hours_ago: number | string;
    n: number | string;
    first_time: string;
    last_time: string;
    attempt_id: string;
  }>(
    sql`SELECT error_fingerprint AS fingerprint, event_type, TIMESTAMPDIFF(HOUR, create_time, ${session.now}) AS hours_ago,
        COUNT(*) AS n, MIN(create_time) AS first_time, MAX(create_time) AS last_time, CAST(MAX(id) AS CHAR) AS attempt_id
      FROM (SELECT id, event_type, error_fingerprint, create_time FROM ${attempt} FORCE INDEX (idx_kind_time)
        WHERE kind = ${kind} AND create_time > ${laterBy(session, -DAY_MS)} AND create_time <= ${session.now}
        ORDER BY create_time DESC, id DESC LIMIT ${sql.raw(String(Math.trunc(limit)))}) AS recent
      GROUP BY error_fingerprint, event_type, hours_ago`,
  );
  return rows.map((row) => ({
    fingerprint: row.fingerprint ?? undefined,
    eventType: row.event_type,
    kind,
    hoursAgo: Number(row.hours_ago),
    count: Number(row.n),
    firstAt: session.zone.parseInstant(row.first_time),
    lastAt: session.zone.parseInstant(row.last_time),
    attemptId: row.attempt_id,
  }));
}

/** The beginning of the error text of each of these attempts, by primary key; attempts that are gone are missing. */
export async function readErrorHeads(session: Session, attemptIds: readonly string[]): Promise<Map<string, string>> {
  if (attemptIds.length === 0) return new Map();
  const rows = await session.rows<{ id: string; head: string | null }>(
    sql`SELECT CAST(a.id AS CHAR) AS id, LEFT(a.error, 400) AS head
      FROM ${idRows(attemptIds)} AS list STRAIGHT_JOIN ${attempt} AS a FORCE INDEX (PRIMARY) ON a.id = list.id`,
  );
  return new Map(rows.map((row) => [row.id, row.head ?? ""]));
}
