const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 168].map((hours) => hours * HOUR_MS),
];
const INTERVALS_MAX = 4;

/** Marks of an axis from 0 to at least `topMs`, at most five, at lengths of time that people say. */
export function durationTicks(topMs: number): number[] {
  const wanted = STEPS_MS.find((step) => step * INTERVALS_MAX >= topMs);
  const step = wanted ?? Math.ceil(topMs / INTERVALS_MAX / (168 * HOUR_MS)) * 168 * HOUR_MS;
  const count = Math.max(1, Math.ceil(topMs / step));
  return Array.from({ length: count + 1 }, (_, n) => n * step);
}
