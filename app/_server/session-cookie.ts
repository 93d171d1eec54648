import { OIDC_FLOW_LIFE_MS } from "../../db/queries/oidc-flows.ts";
import { SESSION_LIFE_MS } from "../../db/queries/sessions.ts";
import { tokenHash } from "../../db/secret-token.ts";
import { BASE_PATH } from "../_components/base-path.ts";
import type { AccessPolicy } from "./access.ts";

const TOKEN = /^[\w-]{43}$/;
/** A token in its compact form. Browsers keep no cookie of more than 4,096 bytes, its name included. */
const ID_TOKEN = /^[\w.-]{1,3900}$/;
const ID_TOKEN_PATH = `${BASE_PATH}/api/v1/sign-out`;
const SIGN_OUT_PATH = `${BASE_PATH}/sign-in`;
const SIGN_OUT_LIFE_MS = 10 * 60_000;

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

/**
 * Keeps what the provider said of a person for the one request that ends the session there, and sends it with no other.
 * One that is too long for a cookie is not kept, and the one before it is forgotten.
 */
export function idTokenCookie(idToken: string | undefined, policy: AccessPolicy): string {
  const value = idToken !== undefined && ID_TOKEN.test(idToken) ? idToken : "";
  const seconds = value === "" ? 0 : SESSION_LIFE_MS / 1_000;
  return cookie(idTokenCookieName(policy), { value, seconds, path: ID_TOKEN_PATH }, policy);
}

/** What the provider said of the person of a browser; undefined if it was not kept. */
export function presentedIdToken(headers: Headers, policy: AccessPolicy): string | undefined {
  return presentedValue(headers, idTokenCookieName(policy), ID_TOKEN);
}

/** Ties a way to the provider and back to the browser that signs out. */
export function signOutCookie(state: string, policy: AccessPolicy): string {
  const seconds = SIGN_OUT_LIFE_MS / 1_000;
  return cookie(signOutCookieName(policy), { value: state, seconds, path: SIGN_OUT_PATH }, policy);
}

/** The hash of the state with which a browser has left for the provider; undefined if it has not of late. */
export function presentedSignOut(headers: Headers, policy: AccessPolicy): string | undefined {
  return presentedHash(headers, signOutCookieName(policy));
}

// Bound to a path of their own, these two cannot have the prefix `__Host-`.
function idTokenCookieName(policy: AccessPolicy): string {
  return isSecure(policy) ? "__Secure-redrive-id-token" : "redrive_id_token";
}

function signOutCookieName(policy: AccessPolicy): string {
  return isSecure(policy) ? "__Secure-redrive-sign-out" : "redrive_sign_out";
}

function flowCookieName(policy: AccessPolicy): string {
  return isSecure(policy) ? "__Host-redrive-oidc" : "redrive_oidc";
}

function presentedHash(headers: Headers, name: string): string | undefined {
  const value = presentedValue(headers, name, TOKEN);
  return value === undefined ? undefined : tokenHash(value);
}

/** The first cookie of that name with a value of that shape. */
function presentedValue(headers: Headers, name: string, shape: RegExp): string | undefined {
  for (const part of (headers.get("cookie") ?? "").split(";")) {
    const [key, value = ""] = part.trim().split("=", 2);
    if (key === name && shape.test(value)) return value;
  }
  return undefined;
}

function cookie(
  name: string,
  { value, seconds, path = "/" }: { readonly value: string; readonly seconds: number; readonly path?: string },
  policy: AccessPolicy,
): string {
  const secure = isSecure(policy) ? "; Secure" : "";
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

function isSecure({ publicOrigin }: AccessPolicy): boolean {
  return publicOrigin?.startsWith("https:") ?? false;
}
