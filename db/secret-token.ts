import { createHash, randomBytes } from "node:crypto";

/** 256 random bits as text that needs no escaping in a cookie, an address or a header. */
export function newSecretToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a token: enough to know it again, useless to present. A token is random, so it needs no salt. */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
