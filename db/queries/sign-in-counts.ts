import { sql } from "drizzle-orm";
import { signInCount } from "../schema/account.ts";
import type { Session } from "../session.ts";
import { laterBy } from "./insert-tasks.ts";

/** How many attempts a subject has, and how long it waits after them. */
export interface SignInLimit {
  /** `account:…`, `ip:…` or `all`. */
  readonly subject: string;
  /** Attempts that cost no wait. */
  readonly attempts: number;
  /** The wait after the last of them; each further attempt doubles it. */
  readonly firstWaitMs: number;
  readonly waitMsMax: number;
}

/** So long without an attempt and without a wait, and a subject begins anew. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
const FORGET_MS = 24 * 3_600_000;

export interface SignInAttempt {
  /** Milliseconds until the subject may try again; 0: this attempt counts and may be made. */
  readonly waitMs: number;
  /** The wait that follows this attempt if it fails; 0: none. */
  readonly nextWaitMs: number;
}

/**
 * Counts an attempt to sign in before it is made, inside the caller's transaction, so that a hundred attempts at once are
 * a hundred counted ones. An attempt that must wait is not counted. `giveBackSignInAttempt` takes a good one back.
 */
export async function takeSignInAttempt(session: Session, limit: SignInLimit): Promise<SignInAttempt> {
  const { subject } = limit;
  const { now } = session;
  await session.change(
    sql`INSERT INTO ${signInCount} (subject, failures, window_time) VALUES (${subject}, 0, ${now})
      ON DUPLICATE KEY UPDATE subject = ${subject}`,
  );
  const rows = await session.rows<{ failures: number; wait_us: number | string | null; is_over: number }>(
    sql`SELECT failures, TIMESTAMPDIFF(MICROSECOND, ${now}, locked_until) AS wait_us,
        GREATEST(window_time, COALESCE(locked_until, window_time)) <= ${laterBy(session, -SIGN_IN_WINDOW_MS)} AS is_over
      FROM ${signInCount} WHERE subject = ${subject} FOR UPDATE`,
  );
  const known = rows[0];
  const waitMs = Math.ceil(Number(known?.wait_us ?? 0) / 1_000);
  if (waitMs > 0) return { waitMs, nextWaitMs: 0 };
  const failures = (known && Number(known.is_over) === 0 ? Number(known.failures) : 0) + 1;
  const nextWaitMs = waitAfter(failures, limit);
  await session.change(
    sql`UPDATE ${signInCount} SET failures = ${failures}, window_time = ${now},
      locked_until = ${nextWaitMs === 0 ? sql`NULL` : laterBy(session, nextWaitMs)} WHERE subject = ${subject}`,
  );
  return { waitMs: 0, nextWaitMs };
}

/** The wait that follows a number of attempts in a row. */
export function waitAfter(failures: number, limit: Omit<SignInLimit, "subject">): number {
  if (failures < limit.attempts) return 0;
  return Math.min(limit.waitMsMax, limit.firstWaitMs * 2 ** Math.min(30, failures - limit.attempts));
}

/** Takes back an attempt that was good. The wait it brought goes with it; one that others' attempts brought stays. */
export async function giveBackSignInAttempt(
  session: Session,
  { subject, attempts }: Pick<SignInLimit, "subject" | "attempts">,
): Promise<void> {
  await session.change(
    sql`UPDATE ${signInCount} SET locked_until = IF(failures - 1 < ${attempts}, NULL, locked_until),
      failures = GREATEST(failures - 1, 0) WHERE subject = ${subject}`,
  );
}

/** Forgets the attempts of a subject: its password is known to be in the right hands. */
export async function clearSignInAttempts(session: Session, subject: string): Promise<void> {
  await session.change(sql`DELETE FROM ${signInCount} WHERE subject = ${subject}`);
}

/** Forgets what was counted a day ago, which keeps the table as small as the global limit allows. */
export async function removeOldSignInCounts(session: Session): Promise<void> {
  const rows = await session.rows<{ subject: string }>(
    sql`SELECT subject FROM ${signInCount} WHERE window_time < ${laterBy(session, -FORGET_MS)} ORDER BY subject LIMIT 200`,
  );
  for (const { subject } of rows) {
    await session.change(
      sql`DELETE FROM ${signInCount} WHERE subject = ${subject} AND window_time < ${laterBy(session, -FORGET_MS)}`,
    );
  }
}
