import { OIDC_FLOW_LIFE_MS } from "../../db/queries/oidc-flows.ts";
import { SESSION_LIFE_MS } from "../../db/queries/sessions.ts";
import { tokenHash } from "../../db/secret-token.ts";
import type { AccessPolicy } from "./access.ts";

const TOKEN = /^[\w-]{43}$/;

/**
 * The name of the session cookie. With the prefix `__Host-` a browser takes it over TLS only, for this very host, and no
 * neighbour of the domain can plant one. On plain HTTP to this machine, where that cannot be, it is a plain name.
 */
export function sessionCookieName(policy: AccessPolicy): string {
  return isSecure(policy) ? "__Host-redrive" : "redrive_session";
}

/** The hash of the token that a request presents; undefined if it presents none. */
export function presentedSession(headers: Headers, policy: AccessPolicy): string | undefined {
  return presentedHash(headers, sessionCookieName(policy));
}

/** Signs a browser in, for as long as a session can last. */
export function sessionCookie(token: string, policy: AccessPolicy): string {
  return cookie(sessionCookieName(policy), { value: token, seconds: SESSION_LIFE_MS / 1_000 }, policy);
}

/** Makes a browser forget its session. */
export function endedSessionCookie(policy: AccessPolicy): string {
  return cookie(sessionCookieName(policy), { value: "", seconds: 0 }, policy);
}

/** The hash of the token of the sign-in at a provider that a browser has begun; undefined if it presents none. */
export function presentedFlow(headers: Headers, policy: AccessPolicy): string | undefined {
  return presentedHash(headers, flowCookieName(policy));
}

/** Ties a sign-in at a provider to the browser that began it. */
export function flowCookie(token: string, policy: AccessPolicy): string {
  return cookie(flowCookieName(policy), { value: token, seconds: OIDC_FLOW_LIFE_MS / 1_000 }, policy);
}

/** Makes a browser forget the sign-in that it began. */
export function endedFlowCookie(policy: AccessPolicy): string {
  return cookie(flowCookieName(policy), { value: "", seconds: 0 }, policy);
}

function flowCookieName(policy: AccessPolicy): string {
  return isSecure(policy) ? "__Host-redrive-oidc" : "redrive_oidc";
}

function presentedHash(headers: Headers, name: string): string | undefined {
  for (const part of (headers.get("cookie") ?? "").split(";")) {
    const [key, value = ""] = part.trim().split("=", 2);
    if (key === name && TOKEN.test(value)) return tokenHash(value);
  }
  return undefined;
}

function cookie(
  name: string,
  { value, seconds }: { readonly value: string; readonly seconds: number },
  policy: AccessPolicy,
): string {
  const secure = isSecure(policy) ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

function isSecure({ publicOrigin }: AccessPolicy): boolean {
  return publicOrigin?.startsWith("https:") ?? false;
}
