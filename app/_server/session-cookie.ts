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
  const name = sessionCookieName(policy);
  for (const part of (headers.get("cookie") ?? "").split(";")) {
    const [key, value = ""] = part.trim().split("=", 2);
    if (key === name && TOKEN.test(value)) return tokenHash(value);
  }
  return undefined;
}

/** Signs a browser in, for as long as a session can last. */
export function sessionCookie(token: string, policy: AccessPolicy): string {
  return cookie(token, SESSION_LIFE_MS / 1_000, policy);
}

/** Makes a browser forget its session. */
export function endedSessionCookie(policy: AccessPolicy): string {
  return cookie("", 0, policy);
}

function cookie(value: string, seconds: number, policy: AccessPolicy): string {
  const secure = isSecure(policy) ? "; Secure" : "";
  return `${sessionCookieName(policy)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

function isSecure({ publicOrigin }: AccessPolicy): boolean {
  return publicOrigin?.startsWith("https:") ?? false;
}
