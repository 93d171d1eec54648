const UNITS = [
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "m", ms: 60_000 },
  { name: "s", ms: 1_000 },
] as const;

/** A duration in its two largest units: `0 ms`, `950 ms`, `12 s`, `4 m 10 s`, `3 h`, `2 d 5 h`. Negative counts as 0. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1_000) return `${whole} ms`;
  const seconds = Math.round(whole / 1_000) * 1_000;
  const largest = UNITS.findIndex((unit) => seconds >= unit.ms);
  const parts: string[] = [];
  let rest = seconds;
  for (const unit of UNITS.slice(largest, largest + 2)) {
    const count = Math.floor(rest / unit.ms);
    rest -= count * unit.ms;
    if (count > 0) parts.push(`${count} ${unit.name}`);
  }
  return parts.join(" ");
}
