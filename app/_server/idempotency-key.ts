import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Asker } from "./asker.ts";
import { ConsoleError } from "./console-error.ts";

const SHAPE = /^[\x21-\x7e]{1,128}$/;

/** The key that a request carries; undefined: none. @throws ConsoleError invalid_input */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (SHAPE.test(key)) return key;
  throw new ConsoleError("invalid_input", "Idempotency-Key must be 1 to 128 printable ASCII characters without blanks");
}

/** What the database holds of a key: who used it, on what, under a hash. */
export interface SealedKey {
  readonly keyHash: string;
  /** The kept answer, unreadable to whoever has the table and not the key. */
  seal(answer: string): string;
  open(sealed: string): string;
}

/** Binds a key to its asker and route: the same key of another asker, or for another route, is another key. */
export function sealKey(asker: Asker, request: Request, key: string): SealedKey {
  const { pathname, search } = new URL(request.url);
  const binding = JSON.stringify([asker.actorKind, asker.actor, request.method, pathname + search, key]);
  const secret = createHash("sha256").update(`answer ${binding}`).digest();
  return {
    keyHash: createHash("sha256").update(`key ${binding}`).digest("hex"),
    seal(answer) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", secret, iv);
      const text = Buffer.concat([cipher.update(answer, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", secret, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
  };
}
