import { createHash, timingSafeEqual } from "node:crypto";
import { ConsoleError } from "./console-error.ts";

/**
 * Who may use the console while it has no sign-in.
 *
 * Reading: if the console is bound to loopback, only under a loopback name or the configured public origin, so that a
 * foreign site cannot read it by pointing its own name at 127.0.0.1. If an operator bound it to the network: anyone there.
 *
 * Acting: either the request carries `REDRIVE_CONSOLE_TOKEN`, or all of these hold: the start command stated that it
 * bound the console to loopback, the request came under a loopback name and through no proxy from elsewhere, and it is
 * the page's own request (`Origin` is this host, `Sec-Fetch-Site` does not say otherwise). A Host header alone proves
 * nothing on a console that the network can reach, hence the first condition.
 */
export interface AccessPolicy {
  readonly boundHost: string | undefined;
  readonly publicOrigin: string | undefined;
  readonly token: string | undefined;
}

/** @throws ConsoleError unless the request may read. */
export function checkMayRead(headers: Headers, policy: AccessPolicy): void {
  if (!isLoopbackName(policy.boundHost) || carriesToken(headers, policy)) return;
  const host = headers.get("host") ?? "";
  if (isLoopbackHost(host) || (policy.publicOrigin && new URL(policy.publicOrigin).host === host)) return;
  throw new ConsoleError(
    "unknown_host",
    "this console does not answer under this host name; see REDRIVE_CONSOLE_ORIGIN",
  );
}

/** @throws ConsoleError unless the request may change something. */
export function checkMayAct(headers: Headers, policy: AccessPolicy): void {
  checkContentType(headers);
  checkSameOrigin(headers, policy);
  if (carriesToken(headers, policy)) return;
  if (isLoopbackName(policy.boundHost) && isLoopbackHost(headers.get("host") ?? "") && isDirectFromLoopback(headers)) {
    return;
  }
  throw new ConsoleError(
    "token_required",
    "actions are open only on the machine of the console itself; elsewhere send REDRIVE_CONSOLE_TOKEN as a bearer token",
  );
}

function checkContentType(headers: Headers): void {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return;
  throw new ConsoleError("wrong_content_type", "the content type must be application/json");
}

/** Machines with a token send no Origin; browsers always do with a POST. */
function checkSameOrigin(headers: Headers, policy: AccessPolicy): void {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const isMachine = origin === null && site === null && carriesToken(headers, policy);
  if (isMachine) return;
  const isOwnOrigin = origin !== null && (origin === policy.publicOrigin || hostOf(origin) === headers.get("host"));
  if (isOwnOrigin && (site === null || site === "same-origin")) return;
  throw new ConsoleError("foreign_origin", "actions are taken only from the console's own pages");
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

export function carriesToken(headers: Headers, policy: AccessPolicy): boolean {
  const given = /^Bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (given === undefined || policy.token === undefined) return false;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(policy.token));
}

/** The framework fills these headers from the socket when no proxy has set them. */
function isDirectFromLoopback(headers: Headers): boolean {
  const addresses = (headers.get("x-forwarded-for") ?? "").split(",").map((address) => address.trim());
  const host = headers.get("x-forwarded-host");
  return (
    headers.get("forwarded") === null &&
    addresses.every((address) => address === "" || isLoopbackName(address)) &&
    (host === null || isLoopbackHost(host))
  );
}

function isLoopbackHost(host: string): boolean {
  return isLoopbackName(/^(\[[^\]]*\]|[^:]*)(:\d+)?$/.exec(host)?.[1]);
}

function isLoopbackName(name: string | undefined): boolean {
  const bare = name?.replace(/^\[|\]$/g, "").replace(/^::ffff:/i, "");
  return bare === "localhost" || bare === "::1" || (bare !== undefined && /^127(\.\d{1,3}){3}$/.test(bare));
}
