const INSTANT_LOCALE: Record<string, string> = { en: "en-GB", "zh-CN": "zh-CN" };

/** An instant in full, 24 hours: `24 Sep 2026, 14:03:20` or `2026-09-24 14:03:20`. */
export function formatInstant(instant: Date, locale: string, timeZone: string): string {
  if (locale === "zh-CN") {
    // Swedish writes dates as ISO 8601 does.
    return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(instant);
  }
  return new Intl.DateTimeFormat(INSTANT_LOCALE[locale] ?? locale, {
    timeZone,
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).format(instant);
}

/** The time of day only: `14:03:20`. */
export function formatClock(instant: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "medium", hourCycle: "h23" }).format(instant);
}

/** A zone by its name and its offset at an instant: `Asia/Shanghai (UTC+8)`, `UTC`. */
export function describeZone(timeZone: string, instant: Date): string {
  if (timeZone === "UTC") return "UTC";
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "shortOffset" }).formatToParts(instant);
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "UTC") ?? "";
  return offset === timeZone || offset === "" ? timeZone : `${timeZone} (${offset})`;
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** A number and a Chinese word stand apart, as in every text of the console; the browser writes them together. */
export function spaceNumbers(text: string): string {
  return text.replace(/(?<=\d)(?=\p{Script=Han})|(?<=\p{Script=Han})(?=\d)/gu, " ");
}

/** A duration in its largest unit: `40s`, `3m`, `2h`; in Chinese `40 秒`. Never negative, whatever the clocks say. */
export function formatShort(durationMs: number, locale: string): string {
  const { unit, count } = largestUnit(durationMs);
  return spaceNumbers(new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "narrow" }).format(count));
}

/** "3m ago" in the person's language; never in the future, whatever the clocks say. */
export function formatAgo(ageMs: number, locale: string): string {
  const { unit, count } = largestUnit(ageMs);
  const relative = new Intl.RelativeTimeFormat(locale, { style: "narrow", numeric: "always" });
  return spaceNumbers(relative.format(-count, unit));
}

function largestUnit(durationMs: number) {
  const duration = Math.max(0, durationMs);
  const [unit, size] = UNITS.find(([, unitMs]) => duration >= unitMs) ?? (["second", 1_000] as const);
  return { unit, count: Math.floor(duration / size) };
}

/** A duration in its two largest units: `5 min 20 sec`, `5 分钟 20 秒`. */
export function formatDuration(durationMs: number, locale: string): string {
  const start = UNITS.findIndex(([, unitMs]) => durationMs >= unitMs);
  const shown = start === -1 ? UNITS.slice(-1) : UNITS.slice(start, start + 2);
  let rest = Math.max(0, durationMs);
  const parts = shown.map(([unit, unitMs]) => {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    return { unit, count };
  });
  const texts = parts
    .filter(({ count }, position) => count > 0 || position === 0)
    .map(({ unit, count }) =>
      new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(count),
    );
  return spaceNumbers(texts.join(" "));
}
