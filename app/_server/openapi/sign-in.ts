import * as z from "zod";
import {
  confirmInput,
  linkInput,
  linkUseInput,
  oidcInput,
  passwordInput,
  sessionName,
  signInInput,
} from "../account-input.ts";
import { PERMISSIONS, type Permission } from "../permissions.ts";
import { endedSessions, sessionList } from "./accounts.ts";
import type { Operation } from "./operation.ts";
import { count, role } from "./parts.ts";

const nothing = z.strictObject({});

const me = z
  .strictObject({
    name: z.string(),
    role,
    scopes: z.array(z.string()).nullable().meta({ description: "the event types one is confined to; null: all" }),
    permissions: z.array(z.enum(Object.keys(PERMISSIONS) as [Permission, ...Permission[]])),
    isExternal: z.boolean().meta({ description: "signs in by OpenID Connect and has no password here" }),
  })
  .meta({ id: "Me" });

export const signInOperations: readonly Operation[] = [
  {
    method: "POST",
    path: "/api/v1/sign-in",
    id: "signIn",
    summary: "Signs a browser in by name and password; the answer sets its cookie",
    permission: "anyone",
    body: signInInput,
    answer: nothing,
    problems: ["sign_in_failed", "too_many_attempts", "passwords_off"],
  },
  {
    method: "POST",
    path: "/api/v1/sign-in/oidc",
    id: "startProviderSignIn",
    summary: "Where a browser goes to sign in at the provider, or to show there that it is still the same person",
    permission: "anyone",
    body: oidcInput,
    answer: z.strictObject({ url: z.url() }).meta({ id: "ProviderSignIn" }),
    problems: ["no_provider", "too_many_attempts", "provider_answer_refused", "provider_unavailable"],
  },
  {
    method: "GET",
    path: "/api/v1/sign-in/oidc/callback",
    id: "finishProviderSignIn",
    summary: "Where the provider sends the browser back to",
    permission: "anyone",
    answer: { redirect: "To the page that was asked for, signed in, or to the sign-in page with what went wrong" },
  },
  {
    method: "POST",
    path: "/api/v1/sign-in/link",
    id: "describeSignInLink",
    summary: "Whose one-time link this is; a POST, so that its token is in no address",
    permission: "anyone",
    body: linkInput,
    answer: z
      .strictObject({ account: z.string().optional().meta({ description: "absent: it makes the first admin" }) })
      .meta({ id: "SignInLink" }),
    problems: ["link_used", "passwords_off"],
  },
  {
    method: "POST",
    path: "/api/v1/sign-in/link/use",
    id: "useSignInLink",
    summary: "Gives the account of a one-time link its password and signs the browser in",
    permission: "anyone",
    body: linkUseInput,
    answer: nothing,
    problems: [
      ...(["read_only", "passwords_off", "link_used", "password_refused"] as const),
      ...(["name_refused", "name_reserved", "too_many_attempts"] as const),
    ],
  },
  {
    method: "POST",
    path: "/api/v1/sign-out",
    id: "signOut",
    summary: "Ends the session of the browser that asks, even while the console is read-only",
    permission: "self.manage",
    answer: z
      .strictObject({
        next: z
          .string()
          .meta({ description: "where the browser goes now: the provider, to sign out there too, or a page" }),
      })
      .meta({ id: "SignedOut" }),
  },
  {
    method: "GET",
    path: "/api/v1/me",
    id: "getMe",
    summary: "Who asks, and what that role may do",
    permission: "self.manage",
    answer: me,
  },
  {
    method: "POST",
    path: "/api/v1/me/password",
    id: "changePassword",
    summary: "A new password for whoever knows the present one; all other browsers are signed out",
    permission: "self.manage",
    body: passwordInput,
    answer: z.strictObject({ endedSessions: count }).meta({ id: "PasswordChanged" }),
    problems: ["wrong_password", "password_refused", "too_many_attempts"],
  },
  {
    method: "POST",
    path: "/api/v1/me/confirm",
    id: "confirmIdentity",
    summary: "The password of whoever is signed in once more, for what asks for it again: `step_up_required`",
    permission: "self.manage",
    body: confirmInput,
    answer: nothing,
    problems: ["wrong_password", "too_many_attempts"],
  },
  {
    method: "GET",
    path: "/api/v1/me/sessions",
    id: "listMySessions",
    summary: "The browsers in which one is signed in; for people, not for keys",
    permission: "self.manage",
    answer: sessionList,
  },
  {
    method: "DELETE",
    path: "/api/v1/me/sessions",
    id: "endMyOtherSessions",
    summary: "Signs all other browsers out",
    permission: "self.manage",
    answer: endedSessions,
  },
  {
    method: "DELETE",
    path: "/api/v1/me/sessions/{session}",
    id: "endMySession",
    summary: "Signs one browser out",
    permission: "self.manage",
    params: { session: sessionName },
    answer: endedSessions,
    problems: ["session_not_found"],
  },
];
