import "server-only";
import { type AccountRow, findAccountBySubject, insertAccount, setAccountAccess } from "../../db/queries/accounts.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { confirmSession, readSessionOwner, removeSessions } from "../../db/queries/sessions.ts";
import type { Session } from "../../db/session.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { accountNames, roleOf, subjectOf } from "./oidc-claims.ts";
import type { Authenticated } from "./oidc-client.ts";
import type { OidcSettings, RoleRule } from "./oidc-settings.ts";
import { openSession, type Visitor } from "./sign-in.ts";

interface AtTheDoor {
  readonly settings: OidcSettings;
  readonly visitor: Visitor;
  readonly person: Authenticated;
}

/**
 * Signs in whom the provider vouches for. The account is that of the provider's own name for the person, made at the
 * first sign-in; its role and event types are, each time, what the settings make of the claims. `isConfirmed`: the person
 * has just shown to be the one, and not some hours ago.
 * @throws ConsoleError no_role, account_disabled
 */
export async function signInByProvider({
  settings,
  visitor,
  person,
  isConfirmed,
}: AtTheDoor & { readonly isConfirmed: boolean }): Promise<{ readonly token: string }> {
  const subject = subjectOf(settings.issuer, person.sub);
  const rule = roleOf(person.claims, settings);
  const outcome = await consoleDatabase().retryingTransaction(async (session) => {
    const known = await findAccountBySubject(session, subject);
    const entry = { ...audited(visitor), action: "session.sign_in" } as const;
    const refuse = async (code: "no_role" | "account_disabled") => {
      // What the account could do ends with its role.
      const endedSessions = known ? await removeSessions(session, { accountId: known.id }) : 0;
      const { name: actor = "unknown", id: objectId, role } = known ?? {};
      const detail = { by: "oidc", code, endedSessions };
      await insertAudit(session, { ...entry, actor, role, objectId, result: "failed", detail });
      return { code };
    };
    if (!rule) return refuse("no_role");
    if (known?.isDisabled) return refuse("account_disabled");
    const account = known
      ? await follow(session, { settings, visitor, account: known, rule })
      : await admit(session, { settings, visitor, person, rule, subject });
    const token = await openSession(session, visitor, { accountId: account.id, isConfirmed });
    const { name: actor, id: objectId, role } = account;
    await insertAudit(session, { ...entry, actor, role, objectId, result: "ok", detail: { by: "oidc" } });
    return { token };
  });
  if ("token" in outcome) return outcome;
  throw new ConsoleError(
    outcome.code,
    outcome.code === "no_role" ? "the provider gives this person no role" : "the account is disabled",
  );
}

/**
 * Writes down that the person of a session has shown at the provider to be still the one.
 * @throws ConsoleError sign_in_expired if it is not this browser's session, provider_answer_refused for somebody else
 */
export async function confirmByProvider({
  settings,
  visitor,
  person,
  sessionHash,
}: AtTheDoor & { readonly sessionHash: string }): Promise<void> {
  const isConfirmed = await consoleDatabase().retryingTransaction(async (session) => {
    const owner = await readSessionOwner(session, sessionHash);
    if (!owner || visitor.sessionHash !== sessionHash) {
      throw new ConsoleError("sign_in_expired", "the session to confirm has ended");
    }
    const account = await findAccountBySubject(session, subjectOf(settings.issuer, person.sub));
    const isSame = account?.id === owner.accountId;
    if (isSame) await confirmSession(session, sessionHash);
    await insertAudit(session, {
      ...audited(visitor),
      actor: owner.name,
      role: owner.role,
      action: "session.confirm",
      objectId: owner.accountId,
      result: isSame ? "ok" : "failed",
      detail: { by: "oidc" },
    });
    return isSame;
  });
  if (!isConfirmed) throw new ConsoleError("provider_answer_refused", "somebody else signed in at the provider");
}

type Admitted = Pick<AccountRow, "id" | "name" | "role">;

/** An account's first sign-in makes it, under a name that nobody has. */
async function admit(
  session: Session,
  params: AtTheDoor & { readonly rule: RoleRule; readonly subject: string },
): Promise<Admitted> {
  const { settings, visitor, person, rule, subject } = params;
  const { role, scopes } = rule;
  for (const name of accountNames(person.claims, settings, subject)) {
    const id = await insertAccount(session, { name, role, scopes, subject });
    if (id !== undefined) {
      const detail = { name, role, scopes: scopes ?? null, by: "oidc" };
      await insertAudit(session, { ...byProvider(settings, visitor), action: "account.create", objectId: id, detail });
      return { id, name, role };
    }
    // The same person's other sign-in may have been first.
    const known = await findAccountBySubject(session, subject);
    if (known) return known;
  }
  throw new Error("both names of a new account are taken");
}

/** Gives a known account the role and the event types that the provider says; a change ends its other sessions. */
async function follow(
  session: Session,
  params: Omit<AtTheDoor, "person"> & { readonly account: AccountRow; readonly rule: RoleRule },
): Promise<Admitted> {
  const { settings, visitor, account, rule } = params;
  const { id, name } = account;
  const [before, after] = [shown(account), shown(rule)];
  if (JSON.stringify(before) === JSON.stringify(after)) return account;
  await setAccountAccess(session, { id, role: rule.role, scopes: rule.scopes });
  const endedSessions = await removeSessions(session, { accountId: id });
  const detail = { before, after, endedSessions, by: "oidc" };
  await insertAudit(session, { ...byProvider(settings, visitor), action: "account.change", objectId: id, detail });
  return { id, name, role: rule.role };
}

function shown({ role, scopes }: Pick<RoleRule, "role" | "scopes">) {
  return { role, scopes: scopes ? [...scopes] : null };
}

function audited({ ip, requestId }: Visitor) {
  return { actorKind: "person", objectKind: "account", ip, requestId } as const;
}

/** What is done because the provider says so, and not by any person of the console. */
function byProvider({ issuer }: OidcSettings, { ip, requestId }: Visitor) {
  const actor = `oidc:${new URL(issuer).host}`;
  return { actor, actorKind: "system", objectKind: "account", result: "ok", ip, requestId } as const;
}
