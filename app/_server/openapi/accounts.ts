import * as z from "zod";
import { accountChangeInput, accountId, newAccountInput, sessionName } from "../account-input.ts";
import type { Operation } from "./operation.ts";
import { count, id, instant, role } from "./parts.ts";

const account = z
  .strictObject({
    id,
    name: z.string(),
    role,
    scopes: z.array(z.string()).optional().meta({ description: "the event types it is confined to; absent: all" }),
    hasPassword: z.boolean(),
    isExternal: z.boolean().meta({ description: "signs in by OpenID Connect" }),
    isDisabled: z.boolean(),
    createdAt: instant,
    updatedAt: instant,
    sessionCount: count.meta({ description: "browsers that are signed in at the moment" }),
  })
  .meta({ id: "Account" });

const accountList = z.strictObject({ asOf: instant, items: z.array(account) }).meta({ id: "AccountList" });

const newLink = z
  .strictObject({
    token: z.string().meta({ description: "goes behind the # of /sign-in/link; shown this once" }),
    expiresAt: instant,
  })
  .meta({ id: "NewSignInLink" });

const session = z
  .strictObject({
    id: sessionName,
    createdAt: instant,
    usedAt: instant,
    expiresAt: instant,
    ip: z.string().optional(),
    userAgent: z.string().optional(),
    isOwn: z.boolean().meta({ description: "the browser that asks" }),
  })
  .meta({ id: "Session" });

export const sessionList = z.strictObject({ asOf: instant, items: z.array(session) }).meta({ id: "SessionList" });

export const endedSessions = z.strictObject({ ended: count }).meta({ id: "EndedSessions" });

/** Who is confined to some event types manages no accounts: `out_of_scope`. */
export const accountOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/v1/accounts",
    id: "listAccounts",
    summary: "All accounts, by name",
    permission: "accounts.manage",
    answer: accountList,
    problems: ["out_of_scope"],
  },
  {
    method: "POST",
    path: "/api/v1/accounts",
    id: "createAccount",
    summary: "A new account without a password, and the link with which its person chooses one",
    permission: "accounts.manage",
    body: newAccountInput,
    answer: z.strictObject({ id, link: newLink }).meta({ id: "CreatedAccount" }),
    problems: ["step_up_required", "out_of_scope", "name_refused", "name_reserved", "name_taken", "passwords_off"],
  },
  {
    method: "PATCH",
    path: "/api/v1/accounts/{id}",
    id: "changeAccount",
    summary:
      "Another role, other event types, locked out or let in; what is left out stays, its browsers are signed out",
    permission: "accounts.manage",
    params: { id: accountId },
    body: accountChangeInput,
    answer: z.strictObject({ id }).meta({ id: "ChangedAccount" }),
    problems: ["step_up_required", "out_of_scope", "account_not_found", "last_admin", "role_from_provider"],
  },
  {
    method: "POST",
    path: "/api/v1/accounts/{id}/link",
    id: "makeSignInLink",
    summary: "A one-time link with which the person of an account chooses a new password",
    permission: "accounts.manage",
    params: { id: accountId },
    answer: newLink,
    problems: [
      "step_up_required",
      "out_of_scope",
      "account_not_found",
      "account_disabled",
      "passwords_off",
      "role_from_provider",
    ],
  },
  {
    method: "GET",
    path: "/api/v1/accounts/{id}/sessions",
    id: "listAccountSessions",
    summary: "The browsers in which an account is signed in",
    permission: "accounts.manage",
    params: { id: accountId },
    answer: sessionList,
    problems: ["out_of_scope", "account_not_found"],
  },
  {
    method: "DELETE",
    path: "/api/v1/accounts/{id}/sessions",
    id: "endAccountSessions",
    summary: "Signs all browsers of an account out, but for the one that asks",
    permission: "accounts.manage",
    params: { id: accountId },
    answer: endedSessions,
    problems: ["out_of_scope", "account_not_found"],
  },
  {
    method: "DELETE",
    path: "/api/v1/accounts/{id}/sessions/{session}",
    id: "endAccountSession",
    summary: "Signs one browser of an account out",
    permission: "accounts.manage",
    params: { id: accountId, session: sessionName },
    answer: endedSessions,
    problems: ["out_of_scope", "session_not_found"],
  },
];
