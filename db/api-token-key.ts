import { createHash, randomBytes } from "node:crypto";

const SHAPE = /^rdv_[A-Za-z0-9_-]{43}$/;

/** A new key of 256 bits of chance; its prefix tells people and secret scanners what it is. */
export function makeApiTokenKey(): string {
  return `rdv_${randomBytes(32).toString("base64url")}`;
}

/** Whether a text could be a key of the API. */
export function isApiTokenKey(text: string): boolean {
  return SHAPE.test(text);
}

/** What is stored of a key. A plain hash suffices, for nobody can guess 256 bits. */
export function hashApiTokenKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
