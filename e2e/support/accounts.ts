import { insertAccount } from "../../db/queries/accounts.ts";
import { insertSession, removeSession } from "../../db/queries/sessions.ts";
import { newSecretToken, tokenHash } from "../../db/secret-token.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";

export type Role = "viewer" | "operator" | "admin" | "auditor";

/** An account that is signed in, and the token of its browser. */
export interface SignedInState {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

/** Makes an account and a session of it as a sign-in would; the form has tests of its own. */
export async function signInDirectly(
  { database }: TestDatabase,
  account: { readonly name: string; readonly role: Role; readonly scopes?: readonly string[] | undefined },
): Promise<SignedInState> {
  const { name, role, scopes } = account;
  const token = newSecretToken();
  const id = await database.transaction(async (session) => {
    const accountId = await insertAccount(session, { name, role, scopes });
    if (accountId === undefined) throw new Error(`there is an account ${name} already`);
    const tokenOf = { tokenHash: tokenHash(token), accountId };
    await insertSession(session, { ...tokenOf, ip: "127.0.0.1", userAgent: "Test/1" });
    return accountId;
  });
  return { id, name, token };
}

/** Signs an account in again by the token it had. */
export async function restoreSession({ database }: TestDatabase, state: SignedInState): Promise<void> {
  await database.transaction(async (session) => {
    const hash = tokenHash(state.token);
    await removeSession(session, hash);
    await insertSession(session, { tokenHash: hash, accountId: state.id, ip: "127.0.0.1", userAgent: "Test/1" });
  });
}

/** What a browser of that account holds: its session cookie for every console on this machine. Without one: nothing. */
export function signedInState(state: SignedInState | undefined) {
  const cookie = {
    name: "redrive_session",
    domain: "127.0.0.1",
    path: "/",
    expires: -1,
    httpOnly: true,
    secure: false,
    sameSite: "Lax" as const,
  };
  return { cookies: state ? [{ ...cookie, value: state.token }] : [], origins: [] };
}
