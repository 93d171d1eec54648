import { sql } from "drizzle-orm";
import { oidcFlow } from "../schema/account.ts";
import type { Session } from "../session.ts";
import { laterBy } from "./insert-tasks.ts";

/** So long a person has at the provider. */
export const OIDC_FLOW_LIFE_MS = 10 * 60_000;

/** What was sent to the provider with a browser, and what its answer must fit. */
export interface OidcFlow {
  readonly stateHash: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** Where in the console the browser goes afterwards. */
  readonly path: string;
  /** The session whose person is to be confirmed; undefined: a sign-in. */
  readonly sessionHash: string | undefined;
}

/** Begins a flow of the browser that holds the token. */
export async function insertOidcFlow(session: Session, flow: OidcFlow & { readonly tokenHash: string }): Promise<void> {
  await session.change(
    sql`INSERT INTO ${oidcFlow} (token_hash, state_hash, nonce, verifier, redirect_uri, path, session_hash, create_time, expire_time)
      VALUES (${flow.tokenHash}, ${flow.stateHash}, ${flow.nonce}, ${flow.verifier}, ${flow.redirectUri}, ${flow.path},
        ${flow.sessionHash ?? null}, ${session.now}, ${laterBy(session, OIDC_FLOW_LIFE_MS)})`,
  );
}

/**
 * Takes the flow of that token, inside the caller's transaction: of two who take it at once, one is told that there is
 * none. Undefined also if it is too old; it is gone in any case.
 */
export async function takeOidcFlow(
  session: Session,
  tokenHash: string,
): Promise<(OidcFlow & { readonly ageMs: number }) | undefined> {
  const rows = await session.rows<{
    state_hash: string;
    nonce: string;
    verifier: string;
    redirect_uri: string;
    path: string;
    session_hash: string | null;
    age_us: number | string;
    is_over: number;
  }>(
    sql`SELECT state_hash, nonce, verifier, redirect_uri, path, session_hash,
        TIMESTAMPDIFF(MICROSECOND, create_time, ${session.now}) AS age_us, expire_time <= ${session.now} AS is_over
      FROM ${oidcFlow} WHERE token_hash = ${tokenHash} FOR UPDATE`,
  );
  const row = rows[0];
  if (!row) return undefined;
  await session.change(sql`DELETE FROM ${oidcFlow} WHERE token_hash = ${tokenHash}`);
  if (Number(row.is_over) === 1) return undefined;
  return {
    stateHash: row.state_hash,
    nonce: row.nonce,
    verifier: row.verifier,
    redirectUri: row.redirect_uri,
    path: row.path,
    sessionHash: row.session_hash ?? undefined,
    ageMs: Number(row.age_us) / 1_000,
  };
}

/** Forgets flows that nobody came back from, some hundred at once. */
export async function removeOldOidcFlows(session: Session): Promise<number> {
  const { affectedRows } = await session.change(
    sql`DELETE FROM ${oidcFlow} WHERE expire_time <= ${session.now} ORDER BY expire_time, token_hash LIMIT 200`,
  );
  return affectedRows;
}
