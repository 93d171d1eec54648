/*
 * What the seeded database looks like, as expressions over a row's number `n`, so that the server makes the rows itself:
 * the same in each run and spread as if by chance.
 */

export const TYPES = 14;
export const CAUSES = 300;
export const ARCHIVE_DAYS = 90;
/** Live tasks were made within so many days. */
export const LIVE_DAYS = 7;
/** Ids of live tasks begin here, those of archived ones at 1. */
export const LIVE_ID = 1_000_000_000;
/** The type whose failed tasks the bulk action resets; a service inserts tasks of it meanwhile. */
export const BULK_TYPE = "BENCH_BULK";
export const WORKER = "bench-worker-0123456789";

/** Odd multipliers: each makes its own order of the numbers below 2^32. */
const SALTS = { type: 2654435761, state: 2246822519, cause: 3266489917, key: 668265263, time: 374761393 } as const;

/** A number from 0 to 1 for the row. */
export function spread(salt: keyof typeof SALTS): string {
  return `(MOD(n * ${SALTS[salt]}, 4294967296) / 4294967296e0)`;
}

/** A few types have most of the rows. */
export const eventTypeOf = `CONCAT('TYPE_', FLOOR(POW(${spread("type")}, 2) * ${TYPES}))`;
export const eventTypes: readonly string[] = Array.from({ length: TYPES }, (_, n) => `TYPE_${n}`);

/** A few causes have most of the failures. */
export const causeOf = `LPAD(LOWER(HEX(4096 + FLOOR(POW(${spread("cause")}, 3) * ${CAUSES}))), 16, '0')`;
export const errorOf = "CONCAT('PaymentGatewayError: upstream answered ', 500 + MOD(n, 5), ' for order ', n)";

/** The key of live task or archived task number `n`. */
export function keyOf(n: number): string {
  return `order-${String(n).padStart(12, "0")}`;
}

/** An instant before (or, negative, after) `base`, by an expression of milliseconds. */
export function before(base: string, milliseconds: string): string {
  return `TIMESTAMPADD(MICROSECOND, -1000 * (${milliseconds}), '${base}')`;
}
