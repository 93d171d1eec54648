import { sql } from "drizzle-orm";
import { apiToken, type Role, ROLES } from "../schema/account.ts";
import { idLiteral, type Session } from "../session.ts";
import { laterBy } from "./insert-tasks.ts";

/** A machine's key to the API, without the key. */
export interface ApiToken {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The event types it is confined to; undefined: all. */
  readonly scopes: readonly string[] | undefined;
  readonly createdBy: string;
  readonly createdAt: Date;
  /** undefined: it never expires. */
  readonly expiresAt: Date | undefined;
  /** To the minute; undefined: never used. */
  readonly usedAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  /** By the database's clock. */
  readonly state: "active" | "expired" | "revoked";
}

export interface NewApiToken {
  readonly name: string;
  /** SHA-256 of the key in hex; the key itself is stored nowhere. */
  readonly tokenHash: string;
  readonly role: Role;
  readonly scopes: readonly string[] | undefined;
  readonly createdBy: string;
  /** undefined: it never expires. */
  readonly expiresInMs: number | undefined;
}

/** Whole lists end here: a console has dozens of tokens. */
export const API_TOKENS_MAX = 1_000;

const USED_EVERY_MS = 60_000;

/** Adds a token, inside the caller's transaction; returns its id. */
export async function insertApiToken(session: Session, token: NewApiToken): Promise<string> {
  const { insertId } = await session.change(
    sql`INSERT INTO ${apiToken} (name, token_hash, role, scopes, created_by, create_time, expire_time) VALUES (${token.name},
      ${token.tokenHash}, ${token.role}, ${token.scopes === undefined ? null : JSON.stringify(token.scopes)}, ${token.createdBy},
      ${session.now}, ${token.expiresInMs === undefined ? null : laterBy(session, token.expiresInMs)})`,
  );
  return String(insertId);
}

/** All tokens, newest first; revoked and expired ones too. */
export async function listApiTokens(session: Session): Promise<ApiToken[]> {
  const rows = await session.rows<TokenRow>(
    sql`SELECT ${columns(session)} FROM ${apiToken} FORCE INDEX (PRIMARY) ORDER BY ${apiToken.id} DESC LIMIT ${sql.raw(String(API_TOKENS_MAX))}`,
  );
  return rows.map((row) => tokenOf(session, row));
}

/** One token by its id, locked for the change that follows. */
export async function lockApiToken(session: Session, id: string): Promise<ApiToken | undefined> {
  const rows = await session.rows<TokenRow>(
    sql`SELECT ${columns(session)} FROM ${apiToken} WHERE id = ${idLiteral(id)} FOR UPDATE`,
  );
  return rows[0] && tokenOf(session, rows[0]);
}

/**
 * The token whose key has this hash, in whatever state, and whether its use is to be noted by now. Read by the unique key
 * on each request of a machine, which so writes nothing but once a minute.
 */
export async function findApiToken(
  session: Session,
  tokenHash: string,
): Promise<{ readonly token: ApiToken; readonly isToTouch: boolean } | undefined> {
  const [row] = await session.rows<TokenRow & { readonly to_touch: number }>(
    sql`SELECT ${columns(session)}, ${unnoted(session)} AS to_touch FROM ${apiToken} WHERE token_hash = ${tokenHash}`,
  );
  return row && { token: tokenOf(session, row), isToTouch: Number(row.to_touch) === 1 };
}

/** Ends a token from the next request on. False: it was revoked already, or there is none. */
export async function revokeApiToken(session: Session, id: string): Promise<boolean> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${apiToken} SET revoked_time = ${session.now} WHERE id = ${idLiteral(id)} AND revoked_time IS NULL`,
  );
  return affectedRows > 0;
}

/** Notes that a token was used, at most once a minute however often it is. */
export async function touchApiToken(session: Session, id: string): Promise<void> {
  await session.change(
    sql`UPDATE ${apiToken} SET used_time = ${session.now} WHERE id = ${idLiteral(id)} AND ${unnoted(session)}`,
  );
}

const unnoted = (session: Session) => sql`(used_time IS NULL OR used_time < ${laterBy(session, -USED_EVERY_MS)})`;

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly scopes: string | null;
  readonly created_by: string;
  readonly create_time: string;
  readonly expire_time: string | null;
  readonly used_time: string | null;
  readonly revoked_time: string | null;
  readonly expired: number | null;
}

const columns = (session: Session) =>
  sql`CAST(id AS CHAR) AS id, name, role, scopes, created_by, create_time, expire_time, used_time, revoked_time,
    expire_time <= ${session.now} AS expired`;

/** A role or scopes that cannot be read grant the least there is. */
function tokenOf({ zone }: Session, row: TokenRow): ApiToken {
  const instant = (text: string | null) => (text === null ? undefined : zone.parseInstant(text));
  return {
    id: row.id,
    name: row.name,
    role: ROLES.find((role) => role === row.role) ?? "viewer",
    scopes: row.scopes === null ? undefined : scopesOf(row.scopes),
    createdBy: row.created_by,
    createdAt: zone.parseInstant(row.create_time),
    expiresAt: instant(row.expire_time),
    usedAt: instant(row.used_time),
    revokedAt: instant(row.revoked_time),
    state: row.revoked_time !== null ? "revoked" : Number(row.expired) === 1 ? "expired" : "active",
  };
}

function scopesOf(text: string): readonly string[] {
  try {
    const value = JSON.parse(text) as unknown;
    return Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : [];
  } catch {
    return [];
  }
}
