import "server-only";
import { accountName, isReservedName, RESERVED_PREFIXES } from "../../db/account-name.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import {
  type AccountRow,
  insertAccount,
  type ListedAccount,
  listAccounts as readAccounts,
  lockActiveAdmins,
  readAccount,
  setAccountAccess,
  setAccountDisabled,
} from "../../db/queries/accounts.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { removeSessions } from "../../db/queries/sessions.ts";
import { insertSignInLink, removeSignInLinks } from "../../db/queries/sign-in-links.ts";
import type { Role } from "../../db/schema/account.ts";
import { newSecretToken, tokenHash } from "../../db/secret-token.ts";
import type { Session } from "../../db/session.ts";
import type { AuditAction } from "../../db/schema/audit-actions.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { mustTakePasswords } from "./sign-in.ts";

type Timed<Row> = Omit<Row, "createdAt" | "updatedAt"> & { readonly createdAt: string; readonly updatedAt: string };

/** An account as the API shows it. */
export type AccountItem = Timed<ListedAccount>;

export interface AccountList {
  readonly asOf: string;
  readonly items: readonly AccountItem[];
}

/** A one-time link: the token goes behind the `#` of `/sign-in/link`, and is shown this once. */
export interface NewLink {
  readonly token: string;
  readonly expiresAt: string;
}

/** All accounts, by name. Who is confined to some event types manages none: they could give themselves the rest. */
export async function listAccounts(asker: Asker): Promise<AccountList> {
  asker.mustSeeAll();
  return consoleDatabase().use(async (session) => ({
    asOf: (await readDatabaseNow(session)).toISOString(),
    items: (await readAccounts(session)).map(timed),
  }));
}

/**
 * A new account without a password, and the link with which its person chooses one.
 * @throws ConsoleError name_refused, name_reserved, name_taken, passwords_off
 */
export async function createAccount(
  asker: Asker,
  params: { readonly name: string; readonly role: Role; readonly scopes: readonly string[] | undefined },
): Promise<{ readonly id: string; readonly link: NewLink }> {
  asker.mustSeeAll();
  mustTakePasswords();
  const name = personName(params.name);
  const { role, scopes } = params;
  return consoleDatabase().retryingTransaction(async (session) => {
    const id = await insertAccount(session, { name, role, scopes });
    if (id === undefined) throw new ConsoleError("name_taken", "there is an account of that name");
    await note(session, { asker, id, action: "account.create", detail: { name, role, scopes: scopes ?? null } });
    return { id, link: await newLink(session, id) };
  });
}

/**
 * Gives an account another role or other event types, locks it out or lets it in. Every browser of it is signed out, so
 * that none goes on with what it had. What the provider decides of whoever signs in there is changed there.
 * @throws ConsoleError account_not_found, last_admin, role_from_provider
 */
export async function changeAccount(
  asker: Asker,
  id: string,
  change: {
    readonly role?: Role | undefined;
    /** Null: all. */
    readonly scopes?: readonly string[] | null | undefined;
    readonly isDisabled?: boolean | undefined;
  },
): Promise<{ readonly id: string }> {
  asker.mustSeeAll();
  await consoleDatabase().retryingTransaction(async (session) => {
    const admins = await lockActiveAdmins(session);
    const before = await knownAccount(session, id);
    const after = {
      role: change.role ?? before.role,
      scopes: change.scopes === undefined ? before.scopes : (change.scopes ?? undefined),
      isDisabled: change.isDisabled ?? before.isDisabled,
    };
    const isAccessKept = change.role === undefined && change.scopes === undefined;
    if (before.isExternal && !isAccessKept) {
      throw new ConsoleError("role_from_provider", "the provider decides on the role and the event types");
    }
    const staysAdmin = after.role === "admin" && after.scopes === undefined && !after.isDisabled;
    if (!staysAdmin && admins.includes(id) && admins.length === 1) {
      throw new ConsoleError("last_admin", "somebody must be able to manage the accounts");
    }
    await setAccountAccess(session, { id, ...after });
    if (after.isDisabled !== before.isDisabled) await setAccountDisabled(session, { id, ...after });
    if (after.isDisabled) await removeSignInLinks(session, id);
    const endedSessions = await removeSessions(session, { accountId: id });
    const { role, scopes, isDisabled } = before;
    const detail = { before: shown({ role, scopes, isDisabled }), after: shown(after), endedSessions };
    await note(session, { asker, id, action: "account.change", detail });
  });
  return { id };
}

/**
 * A link with which the person of an account chooses a new password.
 * @throws ConsoleError account_not_found, account_disabled, passwords_off, role_from_provider
 */
export async function makeLink(asker: Asker, id: string): Promise<NewLink> {
  asker.mustSeeAll();
  mustTakePasswords();
  return consoleDatabase().retryingTransaction(async (session) => {
    const { isDisabled, isExternal } = await knownAccount(session, id);
    if (isExternal) throw new ConsoleError("role_from_provider", "this account signs in by its provider");
    if (isDisabled) throw new ConsoleError("account_disabled", "a disabled account signs in by no link");
    await note(session, { asker, id, action: "account.link" });
    return newLink(session, id);
  });
}

/** @throws ConsoleError account_not_found */
export async function knownAccount(session: Session, id: string): Promise<AccountRow> {
  const account = await readAccount(session, id);
  if (account) return account;
  throw new ConsoleError("account_not_found", `account ${id} not found`);
}

/** @throws ConsoleError name_reserved, name_refused */
export function personName(text: string): string {
  if (isReservedName(text)) {
    throw new ConsoleError(
      "name_reserved",
      `names that begin with ${RESERVED_PREFIXES.join(" or ")} are not for people`,
    );
  }
  const name = accountName(text);
  if (name === undefined) throw new ConsoleError("name_refused", "the name cannot be taken");
  return name;
}

async function newLink(session: Session, accountId: string): Promise<NewLink> {
  const token = newSecretToken();
  const { expiresAt } = await insertSignInLink(session, { tokenHash: tokenHash(token), accountId });
  return { token, expiresAt: expiresAt.toISOString() };
}

async function note(
  session: Session,
  entry: {
    readonly asker: Asker;
    readonly id: string;
    readonly action: AuditAction;
    readonly detail?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const { asker, id, action, detail } = entry;
  await insertAudit(session, {
    ...auditedBy(asker),
    action,
    objectKind: "account",
    objectId: id,
    result: "ok",
    detail,
  });
}

function shown(access: { role: Role; scopes: readonly string[] | undefined; isDisabled: boolean }) {
  return { ...access, scopes: access.scopes ?? null };
}

function timed(row: ListedAccount): AccountItem {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() };
}
