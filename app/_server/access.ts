import { createHash, timingSafeEqual } from "node:crypto";
import { ConsoleError } from "./console-error.ts";

/** Under which origin people use the console. */
export interface AccessPolicy {
  /** As configured; undefined: only on the machine of the console itself. */
  readonly publicOrigin: string | undefined;
}

/**
 * People use the console under its public origin or a loopback name; under any other name a password would go over the
 * network in the open, or to whoever points a name of theirs at this machine.
 * @throws ConsoleError unknown_host
 */
export function checkHost(headers: Headers, { publicOrigin }: AccessPolicy): void {
  const host = headers.get("host") ?? "";
  if (isLoopbackHost(host) || (publicOrigin !== undefined && new URL(publicOrigin).host === host)) return;
  throw new ConsoleError(
    "unknown_host",
    "this console does not answer under this host name; see REDRIVE_CONSOLE_ORIGIN",
  );
}

/** A form cannot send JSON, nor can a foreign page without asking first. @throws ConsoleError wrong_content_type */
export function checkContentType(headers: Headers): void {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return;
  throw new ConsoleError("wrong_content_type", "the content type must be application/json");
}

/**
 * The request is that of the console's own page. A browser sends `Origin` with everything but GET; `Sec-Fetch-Site` it
 * sends over TLS and to loopback only.
 * @throws ConsoleError foreign_origin
 */
export function checkOrigin(headers: Headers, { publicOrigin }: AccessPolicy): void {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const isOwn =
    origin !== null &&
    (origin === publicOrigin || (isLoopbackOrigin(origin) && hostOf(origin) === headers.get("host")));
  if (isOwn && (site === null || site === "same-origin")) return;
  throw new ConsoleError("foreign_origin", "actions are taken only from the console's own pages");
}

/** The bearer token of a machine; undefined if the request carries none. */
export function bearerToken(headers: Headers): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** Compares in a time that tells nothing of the secret. */
export function isSameSecret(given: string, secret: string | undefined): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return secret !== undefined && timingSafeEqual(digest(given), digest(secret));
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function isLoopbackOrigin(origin: string): boolean {
  return isLoopbackHost(hostOf(origin) ?? "");
}

/** Whether a host, with or without a port, is this machine itself. */
export function isLoopbackHost(host: string): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(:\d+)?$/.exec(host)?.[1]?.replace(/^\[|\]$/g, "");
  return name === "localhost" || name === "::1" || (name !== undefined && /^127(\.\d{1,3}){3}$/.test(name));
}
