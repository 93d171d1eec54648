/** From when on a number is a deviation. Pages, charts and the verdict use the same. */
export const THRESHOLDS = {
  /** A due task that waits this long needs attention … */
  lateMs: 5 * 60_000,
  /** … and this long calls for a person at once. */
  veryLateMs: 15 * 60_000,
  /** The share of failed runs within five minutes. */
  failShare: 0.2,
  /** Tasks taken back from dead workers within an hour, and more than in the hour before. */
  recycled: 3,
} as const;
