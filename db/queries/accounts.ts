import { type SQL, sql } from "drizzle-orm";
import { isDuplicateKey } from "../mysql-errors.ts";
import { account, type Role, session as signedIn } from "../schema/account.ts";
import { idLiteral, type Session } from "../session.ts";

/** A person of the console, without the hash of the password. */
export interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The event types it is confined to; undefined: all. */
  readonly scopes: readonly string[] | undefined;
  readonly hasPassword: boolean;
  /** Signs in by OpenID Connect. */
  readonly isExternal: boolean;
  readonly isDisabled: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An account as the list of all shows it. */
export interface ListedAccount extends AccountRow {
  /** Browsers that are signed in at the moment. */
  readonly sessionCount: number;
}

interface StoredAccount {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly scopes: string | null;
  readonly has_password: number;
  readonly is_external: number;
  readonly disabled: number;
  readonly create_time: string;
  readonly update_time: string;
}

const COLUMNS = sql.raw(
  "CAST(a.id AS CHAR) AS id, a.name, a.role, a.scopes, a.password_hash IS NOT NULL AS has_password, a.subject IS NOT NULL AS is_external, a.disabled, a.create_time, a.update_time",
);

/** Adds an account; its id, or undefined if another one has that name or that subject. */
export async function insertAccount(
  session: Session,
  params: {
    readonly name: string;
    readonly role: Role;
    readonly scopes: readonly string[] | undefined;
    readonly passwordHash?: string | undefined;
    /** Of a person who signs in by OpenID Connect. */
    readonly subject?: string | undefined;
  },
): Promise<string | undefined> {
  const { now } = session;
  try {
    const { insertId } = await session.change(
      sql`INSERT INTO ${account} (name, role, scopes, password_hash, subject, create_time, update_time)
        VALUES (${params.name}, ${params.role}, ${storedScopes(params.scopes)}, ${params.passwordHash ?? null},
          ${params.subject ?? null}, ${now}, ${now})`,
    );
    return String(insertId);
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

export async function readAccount(session: Session, id: string): Promise<AccountRow | undefined> {
  return oneAccount(session, sql`a.id = ${idLiteral(id)}`);
}

export async function findAccount(session: Session, name: string): Promise<AccountRow | undefined> {
  return oneAccount(session, sql`a.name = ${name}`);
}

/** The account of a person who signs in by OpenID Connect. */
export async function findAccountBySubject(session: Session, subject: string): Promise<AccountRow | undefined> {
  return oneAccount(session, sql`a.subject = ${subject}`);
}

async function oneAccount(session: Session, condition: SQL): Promise<AccountRow | undefined> {
  const rows = await session.rows<StoredAccount>(sql`SELECT ${COLUMNS} FROM ${account} a WHERE ${condition}`);
  return rows.map((row) => accountOf(session, row))[0];
}

/** The hash of an account's password; undefined if there is no such account or it has none. */
export async function readPasswordHash(session: Session, id: string): Promise<string | undefined> {
  const rows = await session.rows<{ password_hash: string | null }>(
    sql`SELECT password_hash FROM ${account} WHERE id = ${idLiteral(id)}`,
  );
  return rows[0]?.password_hash ?? undefined;
}

/** All accounts by name, at most 500: a table of people. */
export async function listAccounts(session: Session): Promise<ListedAccount[]> {
  const rows = await session.rows<StoredAccount & { session_count: number | string }>(
    sql`SELECT ${COLUMNS}, (SELECT COUNT(*) FROM ${signedIn} s WHERE s.account_id = a.id AND s.expire_time > ${session.now}) AS session_count
      FROM ${account} a ORDER BY a.name LIMIT 500`,
  );
  return rows.map((row) => ({ ...accountOf(session, row), sessionCount: Number(row.session_count) }));
}

/** Names of people that begin with one of these texts, at most 20. */
export async function findNamesBeginning(session: Session, prefixes: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (const prefix of prefixes) {
    const rows = await session.rows<{ name: string }>(
      sql`SELECT name FROM ${account} WHERE name LIKE ${`${prefix}%`} ORDER BY name LIMIT 20`,
    );
    names.push(...rows.map(({ name }) => name));
  }
  return names.slice(0, 20);
}

/** Whether anybody could ever sign in; the first start of a console asks it. */
export async function hasAccount(session: Session): Promise<boolean> {
  const rows = await session.rows<{ one: number }>(sql`SELECT 1 AS one FROM ${account} ORDER BY id LIMIT 1`);
  return rows.length > 0;
}

/**
 * The ids of all who can manage accounts: admins of all event types that are not disabled. Locked until the caller's
 * transaction ends: two admins who take each other's role away at once wait for one another here, so that one stays.
 */
export async function lockActiveAdmins(session: Session): Promise<string[]> {
  const rows = await session.rows<{ id: string }>(
    sql`SELECT CAST(id AS CHAR) AS id FROM ${account} WHERE role = 'admin' AND scopes IS NULL AND disabled = 0 FOR UPDATE`,
  );
  return rows.map(({ id }) => id);
}

/** Gives an account another role and other event types. */
export async function setAccountAccess(
  session: Session,
  params: { readonly id: string; readonly role: Role; readonly scopes: readonly string[] | undefined },
): Promise<void> {
  await session.change(
    sql`UPDATE ${account} SET role = ${params.role}, scopes = ${storedScopes(params.scopes)}, update_time = ${session.now}
      WHERE id = ${idLiteral(params.id)}`,
  );
}

/** Locks an account out, or lets it in again. Its sessions are the caller's to remove. */
export async function setAccountDisabled(
  session: Session,
  params: { readonly id: string; readonly isDisabled: boolean },
): Promise<void> {
  await session.change(
    sql`UPDATE ${account} SET disabled = ${params.isDisabled ? 1 : 0}, update_time = ${session.now}
      WHERE id = ${idLiteral(params.id)}`,
  );
}

/** Gives an account another password. Its sessions are the caller's to remove. */
export async function setPasswordHash(
  session: Session,
  params: { readonly id: string; readonly passwordHash: string },
): Promise<void> {
  await session.change(
    sql`UPDATE ${account} SET password_hash = ${params.passwordHash}, update_time = ${session.now}
      WHERE id = ${idLiteral(params.id)}`,
  );
}

/** Scopes as an account or a token stores them: a JSON array, NULL for all. A text that is none confines to nothing. */
export function parseScopes(stored: string | null): readonly string[] | undefined {
  if (stored === null) return undefined;
  try {
    const value: unknown = JSON.parse(stored);
    return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

function storedScopes(scopes: readonly string[] | undefined): string | null {
  return scopes === undefined ? null : JSON.stringify(scopes);
}

function accountOf(session: Session, row: StoredAccount): AccountRow {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    scopes: parseScopes(row.scopes),
    hasPassword: Number(row.has_password) === 1,
    isExternal: Number(row.is_external) === 1,
    isDisabled: Number(row.disabled) === 1,
    createdAt: session.zone.parseInstant(row.create_time),
    updatedAt: session.zone.parseInstant(row.update_time),
  };
}
