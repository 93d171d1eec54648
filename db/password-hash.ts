import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** 32 MiB and three passes: as dear as N=2^17 with one pass, in a quarter of the memory. */
const COST = { log2n: 15, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** What a stored hash may ask for at most, so that a damaged row cannot take the memory of the process. */
const COST_MAX = { log2n: 18, r: 16, p: 8 } as const;

const STORED = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]{16,64})\$([\w-]{16,128})$/;
/** Takes as long to check as any other hash and fits no password: its key is no output of the function. */
const NOBODY = `scrypt$${COST.log2n}$${COST.r}$${COST.p}$${"A".repeat(22)}$${"A".repeat(43)}`;

interface Cost {
  readonly log2n: number;
  readonly r: number;
  readonly p: number;
}

/** A salted hash that carries its own parameters, so that they can be raised without a migration. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, COST, KEY_BYTES);
  return `scrypt$${COST.log2n}$${COST.r}$${COST.p}$${salt.toString("base64url")}$${key.toString("base64url")}`;
}

/**
 * Whether the password is the one that was hashed. Without a hash (no such account, or one without a password) it takes
 * as long and answers false. A stored text that is no hash answers false too.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, log2n, r, p, salt = "", key = ""] = STORED.exec(stored ?? NOBODY) ?? STORED.exec(NOBODY) ?? [];
  const cost = { log2n: Number(log2n), r: Number(r), p: Number(p) };
  const isUsable =
    cost.log2n >= 1 && cost.log2n <= COST_MAX.log2n && cost.r >= 1 && cost.r <= COST_MAX.r && cost.p <= COST_MAX.p;
  const expected = Buffer.from(key, "base64url");
  const given = await derive(password, Buffer.from(salt, "base64url"), isUsable ? cost : COST, expected.length);
  return timingSafeEqual(given, expected) && isUsable && stored !== undefined;
}

function derive(password: string, salt: Buffer, { log2n, r, p }: Cost, bytes: number): Promise<Buffer> {
  const options = { N: 2 ** log2n, r, p, maxmem: 128 * r * (2 ** log2n + p + 2) + 1_048_576 };
  return new Promise((resolve, reject) => {
    // The same characters typed on another system may arrive composed otherwise.
    scrypt(password.normalize("NFKC"), salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
