import { spaceNumbers } from "../format-time.ts";

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** A duration in its largest unit: `40s`, `3m`, `2h`; in Chinese `40 秒`. Never negative, whatever the clocks say. */
export function formatShort(durationMs: number, locale: string): string {
  const duration = Math.max(0, durationMs);
  const [unit, size] = UNITS.find(([, unitMs]) => duration >= unitMs) ?? (["second", 1_000] as const);
  const number = new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "narrow" });
  return spaceNumbers(number.format(Math.floor(duration / size)));
}
