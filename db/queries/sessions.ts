import { sql } from "drizzle-orm";
import { account, type Role, session as signedIn } from "../schema/account.ts";
import { idLiteral, type Session } from "../session.ts";
import { parseScopes } from "./accounts.ts";
import { laterBy } from "./insert-tasks.ts";

/** How long a browser stays signed in, by the database's clock: without a request, and at most. */
export const SESSION_IDLE_MS = 30 * 60_000;
export const SESSION_LIFE_MS = 12 * 3_600_000;
/** A request within this time of the last one is not written down. */
const TOUCH_MS = 30_000;
/** A session is named by the beginning of its hash: long enough to be its own, no help to whoever reads it. */
const NAME_CHARACTERS = 16;

/** Whose session it is, as the account is at this moment. */
export interface SessionOwner {
  readonly accountId: string;
  readonly name: string;
  readonly role: Role;
  readonly scopes: readonly string[] | undefined;
  /** Signs in by OpenID Connect. */
  readonly isExternal: boolean;
  /** How long ago the person last proved to be the one; undefined: not in this session. */
  readonly confirmedMsAgo: number | undefined;
  /** Its last request is long enough ago to be written down anew. */
  readonly isToTouch: boolean;
}

/** A signed-in browser as its owner or an admin sees it. */
export interface SessionRow {
  readonly id: string;
  readonly createdAt: Date;
  readonly usedAt: Date;
  readonly expiresAt: Date;
  readonly ip: string | undefined;
  readonly userAgent: string | undefined;
}

/** Signs a browser in. */
export async function insertSession(
  session: Session,
  params: {
    readonly tokenHash: string;
    readonly accountId: string;
    readonly ip: string | undefined;
    readonly userAgent: string | undefined;
    /** Whether the person has just proved to be the one; left out: yes. */
    readonly isConfirmed?: boolean;
  },
): Promise<void> {
  const { now } = session;
  await session.change(
    sql`INSERT INTO ${signedIn} (token_hash, account_id, create_time, used_time, expire_time, confirmed_time, ip, user_agent)
      VALUES (${params.tokenHash}, ${idLiteral(params.accountId)}, ${now}, ${now}, ${laterBy(session, SESSION_LIFE_MS)},
        ${params.isConfirmed === false ? null : now}, ${params.ip?.slice(0, 64) ?? null}, ${params.userAgent?.slice(0, 255) ?? null})`,
  );
}

/** Who is signed in by that token; undefined if nobody, no longer, or an account that was disabled. */
export async function readSessionOwner(session: Session, tokenHash: string): Promise<SessionOwner | undefined> {
  const rows = await session.rows<{
    account_id: string;
    name: string;
    role: Role;
    scopes: string | null;
    is_external: number;
    confirmed_us_ago: number | string | null;
    is_to_touch: number;
  }>(
    sql`SELECT CAST(s.account_id AS CHAR) AS account_id, a.name, a.role, a.scopes, a.subject IS NOT NULL AS is_external,
        TIMESTAMPDIFF(MICROSECOND, s.confirmed_time, ${session.now}) AS confirmed_us_ago,
        s.used_time < ${laterBy(session, -TOUCH_MS)} AS is_to_touch
      FROM ${signedIn} s JOIN ${account} a ON a.id = s.account_id
      WHERE s.token_hash = ${tokenHash} AND a.disabled = 0 AND s.expire_time > ${session.now}
        AND s.used_time > ${laterBy(session, -SESSION_IDLE_MS)}`,
  );
  const row = rows[0];
  if (!row) return undefined;
  return {
    accountId: row.account_id,
    name: row.name,
    role: row.role,
    scopes: parseScopes(row.scopes),
    isExternal: Number(row.is_external) === 1,
    confirmedMsAgo: row.confirmed_us_ago === null ? undefined : Number(row.confirmed_us_ago) / 1_000,
    isToTouch: Number(row.is_to_touch) === 1,
  };
}

/** Writes down that a session is in use. One that has ended meanwhile stays ended. */
export async function touchSession(session: Session, tokenHash: string): Promise<void> {
  await session.change(
    sql`UPDATE ${signedIn} SET used_time = ${session.now}
      WHERE token_hash = ${tokenHash} AND used_time > ${laterBy(session, -SESSION_IDLE_MS)}`,
  );
}

/** Writes down that the person of a session has just proved to be the one. 0: the session has ended meanwhile. */
export async function confirmSession(session: Session, tokenHash: string): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${signedIn} SET confirmed_time = ${session.now} WHERE token_hash = ${tokenHash} AND expire_time > ${session.now}
      AND used_time > ${laterBy(session, -SESSION_IDLE_MS)}`,
  );
  return affectedRows;
}

/** The browsers of an account that are signed in at the moment, the last used first, at most 200. */
export async function listSessions(session: Session, accountId: string): Promise<SessionRow[]> {
  const rows = await session.rows<{
    id: string;
    create_time: string;
    used_time: string;
    expire_time: string;
    ip: string | null;
    user_agent: string | null;
  }>(
    sql`SELECT LEFT(token_hash, ${sql.raw(String(NAME_CHARACTERS))}) AS id, create_time, used_time, expire_time, ip, user_agent
      FROM ${signedIn} WHERE account_id = ${idLiteral(accountId)} AND expire_time > ${session.now}
        AND used_time > ${laterBy(session, -SESSION_IDLE_MS)} LIMIT 200`,
  );
  return rows
    .map((row) => ({
      id: row.id,
      createdAt: session.zone.parseInstant(row.create_time),
      usedAt: session.zone.parseInstant(row.used_time),
      expiresAt: session.zone.parseInstant(row.expire_time),
      ip: row.ip ?? undefined,
      userAgent: row.user_agent ?? undefined,
    }))
    .sort((a, b) => b.usedAt.getTime() - a.usedAt.getTime());
}

/** The id under which `listSessions` names the session of a token. */
export function sessionId(tokenHash: string): string {
  return tokenHash.slice(0, NAME_CHARACTERS);
}

/** Signs one browser out. */
export async function removeSession(session: Session, tokenHash: string): Promise<number> {
  const { affectedRows } = await session.change(sql`DELETE FROM ${signedIn} WHERE token_hash = ${tokenHash}`);
  return affectedRows;
}

/** Signs one browser of an account out, named as in the list. 0: it is signed out already, or another's. */
export async function removeSessionById(
  session: Session,
  params: { readonly accountId: string; readonly id: string },
): Promise<number> {
  const { affectedRows } = await session.change(
    sql`DELETE FROM ${signedIn} WHERE account_id = ${idLiteral(params.accountId)}
      AND LEFT(token_hash, ${sql.raw(String(NAME_CHARACTERS))}) = ${params.id}`,
  );
  return affectedRows;
}

/** Signs all browsers of an account out, but for the one of `exceptHash`. */
export async function removeSessions(
  session: Session,
  params: { readonly accountId: string; readonly exceptHash?: string | undefined },
): Promise<number> {
  const { affectedRows } = await session.change(
    sql`DELETE FROM ${signedIn} WHERE account_id = ${idLiteral(params.accountId)} AND token_hash <> ${params.exceptHash ?? ""}`,
  );
  return affectedRows;
}

/** Forgets the ended sessions of an account; every sign-in of it does so, which keeps the table small. */
export async function removeEndedSessions(session: Session, accountId: string): Promise<void> {
  await session.change(
    sql`DELETE FROM ${signedIn} WHERE account_id = ${idLiteral(accountId)} AND (expire_time <= ${session.now}
      OR used_time <= ${laterBy(session, -SESSION_IDLE_MS)})`,
  );
}
