import type { RollupLevel } from "../../../db/queries/metric-rollups.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The spans of time that the charts show, how long one bucket is, and where it is stored. */
export const RANGES = {
  "1h": { spanMs: HOUR_MS, bucketMs: MINUTE_MS, level: undefined },
  "6h": { spanMs: 6 * HOUR_MS, bucketMs: 5 * MINUTE_MS, level: "5m" },
  "24h": { spanMs: 24 * HOUR_MS, bucketMs: 15 * MINUTE_MS, level: "15m" },
  "7d": { spanMs: 7 * 24 * HOUR_MS, bucketMs: 2 * HOUR_MS, level: "2h" },
} as const satisfies Record<string, { spanMs: number; bucketMs: number; level: RollupLevel | undefined }>;

export type Range = keyof typeof RANGES;

/** The beginnings of the buckets of a range, oldest first; the last holds `now` and is not over. */
export function bucketStarts(range: Range, now: Date): Date[] {
  const { spanMs, bucketMs } = RANGES[range];
  const open = Math.floor(now.getTime() / bucketMs) * bucketMs;
  const count = spanMs / bucketMs + 1;
  return Array.from({ length: count }, (_, n) => new Date(open - (count - 1 - n) * bucketMs));
}
