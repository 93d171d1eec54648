export const REFRESH_SECONDS = 5;
/** While a task is watched as it moves. */
export const WATCHED_SECONDS = 2;
/** While nobody sees the page. */
export const HIDDEN_SECONDS = 60;
const DELAY_MAX_MS = 60_000;

/**
 * The wait before the next refresh: 5 s, or as told, with ±10 % jitter; after failures in a row doubled each time, at most 60 s.
 * The jitter is drawn from `seed`, so that asking again between two refreshes gives the same answer.
 */
export function refreshDelayMs(failuresInRow: number, seed: number, everySeconds = REFRESH_SECONDS): number {
  const jitter = 0.9 + ((seed % 1_000) / 1_000) * 0.2;
  return Math.min(DELAY_MAX_MS, everySeconds * 1_000 * 2 ** Math.min(failuresInRow, 10) * jitter);
}
