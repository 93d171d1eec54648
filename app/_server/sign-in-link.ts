import "server-only";
import { hasAccount, insertAccount, setPasswordHash } from "../../db/queries/accounts.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { removeSessions } from "../../db/queries/sessions.ts";
import { readSignInLink, removeSignInLinks, takeSignInLink } from "../../db/queries/sign-in-links.ts";
import { tokenHash } from "../../db/secret-token.ts";
import type { Session } from "../../db/session.ts";
import { personName } from "./accounts.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { hashNewPassword } from "./new-password.ts";
import { mustTakePasswords, openSession, type Visitor } from "./sign-in.ts";

/** What a one-time link is for: the first admin, who chooses a name, or a new password of the account of that name. */
export interface LinkPurpose {
  readonly account: string | undefined;
}

/** @throws ConsoleError passwords_off; link_used for a link that was used, is too old or never was. */
export async function describeLink(token: string): Promise<LinkPurpose> {
  mustTakePasswords();
  return consoleDatabase().use(async (session) => {
    const link = await readSignInLink(session, tokenHash(token));
    if (!link || (link.account === undefined && (await hasAccount(session)))) throw linkUsed();
    return { account: link.account?.name };
  });
}

/**
 * Uses a one-time link: the account gets the password, every browser of it is signed out, and this one is signed in.
 * A link for the first admin makes one only while there is no account at all; all such links end with it.
 * @throws ConsoleError passwords_off, link_used, password_refused, name_refused, name_reserved
 */
export async function takeLink(
  visitor: Visitor,
  params: { readonly token: string; readonly name: string | undefined; readonly password: string },
): Promise<{ readonly token: string }> {
  const purpose = await describeLink(params.token);
  const name = purpose.account ?? personName(params.name ?? "");
  const passwordHash = await hashNewPassword(params.password, name);
  return consoleDatabase().retryingTransaction(async (session) => {
    const link = await takeSignInLink(session, tokenHash(params.token));
    if (!link) throw linkUsed();
    const accountId = link.account?.id ?? (await insertFirstAdmin(session, { name, passwordHash }));
    await setPasswordHash(session, { id: accountId, passwordHash });
    await removeSessions(session, { accountId });
    const { ip, requestId } = visitor;
    await insertAudit(session, {
      actor: name,
      actorKind: "person",
      action: link.account ? "account.password" : "account.create",
      objectKind: "account",
      objectId: accountId,
      result: "ok",
      ip,
      requestId,
      detail: link.account ? { by: "link" } : { by: "link", role: "admin" },
    });
    return { token: await openSession(session, visitor, { accountId }) };
  });
}

/** Two such links may be open, one of each instance: whoever removes them all first is the one. */
async function insertFirstAdmin(
  session: Session,
  params: { readonly name: string; readonly passwordHash: string },
): Promise<string> {
  await removeSignInLinks(session, undefined);
  if (await hasAccount(session)) throw linkUsed();
  const id = await insertAccount(session, { ...params, role: "admin", scopes: undefined });
  if (id === undefined) throw linkUsed();
  return id;
}

function linkUsed(): ConsoleError {
  return new ConsoleError("link_used", "this link was used, is too old or was replaced by a newer one");
}
