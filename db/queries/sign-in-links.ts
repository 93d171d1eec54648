import { type SQL, sql } from "drizzle-orm";
import { account, signInLink } from "../schema/account.ts";
import { idLiteral, type Session } from "../session.ts";
import { laterBy } from "./insert-tasks.ts";

export const LINK_LIFE_MS = 24 * 3_600_000;

/** What a link that still works is for: an account's new password, or the first admin. */
export interface SignInLinkRow {
  readonly account: { readonly id: string; readonly name: string } | undefined;
}

/** Makes a link that works once within a day. An earlier one of the same account works no more. */
export async function insertSignInLink(
  session: Session,
  params: { readonly tokenHash: string; readonly accountId: string | undefined },
): Promise<{ readonly expiresAt: Date }> {
  if (params.accountId !== undefined) await removeSignInLinks(session, params.accountId);
  await session.change(
    sql`INSERT INTO ${signInLink} (token_hash, account_id, create_time, expire_time)
      VALUES (${params.tokenHash}, ${accountIdOf(params.accountId)}, ${session.now}, ${laterBy(session, LINK_LIFE_MS)})`,
  );
  const rows = await session.rows<{ expire_time: string }>(
    sql`SELECT expire_time FROM ${signInLink} WHERE token_hash = ${params.tokenHash}`,
  );
  return { expiresAt: session.zone.parseInstant(rows[0]?.expire_time ?? "") };
}

/** What the link of that token is for; undefined if it was used, is too old, or its account may not sign in. */
export async function readSignInLink(session: Session, tokenHash: string): Promise<SignInLinkRow | undefined> {
  return linkRow(session, tokenHash, sql` AND l.used_time IS NULL AND l.expire_time > ${session.now}`);
}

/**
 * Takes the link of that token, inside the caller's transaction: of two who take it at once, one is told that there is
 * none. Undefined as in `readSignInLink`; nothing is changed then.
 */
export async function takeSignInLink(session: Session, tokenHash: string): Promise<SignInLinkRow | undefined> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${signInLink} SET used_time = ${session.now} WHERE token_hash = ${tokenHash} AND used_time IS NULL
      AND expire_time > ${session.now}`,
  );
  return affectedRows === 0 ? undefined : linkRow(session, tokenHash, sql``);
}

/** Forgets the links of an account, or those for the first admin, and everybody's that are too old to matter. */
export async function removeSignInLinks(session: Session, accountId: string | undefined): Promise<void> {
  await session.change(
    sql`DELETE FROM ${signInLink} WHERE account_id <=> ${accountIdOf(accountId)} OR expire_time < ${laterBy(session, -LINK_LIFE_MS)}`,
  );
}

async function linkRow(session: Session, tokenHash: string, condition: SQL): Promise<SignInLinkRow | undefined> {
  const rows = await session.rows<{ account_id: string | null; name: string | null; disabled: number | null }>(
    sql`SELECT CAST(l.account_id AS CHAR) AS account_id, a.name, a.disabled
      FROM ${signInLink} l LEFT JOIN ${account} a ON a.id = l.account_id WHERE l.token_hash = ${tokenHash}${condition}`,
  );
  const row = rows[0];
  if (!row) return undefined;
  if (row.account_id === null) return { account: undefined };
  // An account that is gone or disabled is let in by no link.
  if (row.name === null || Number(row.disabled) === 1) return undefined;
  return { account: { id: row.account_id, name: row.name } };
}

function accountIdOf(id: string | undefined): SQL {
  return id === undefined ? sql`NULL` : idLiteral(id);
}
