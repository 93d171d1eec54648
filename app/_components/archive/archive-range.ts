const DAY_MS = 86_400_000;
export const RANGE_DAYS_MAX = 31;
const MONTHS = 6;

export interface Range {
  readonly from: string;
  readonly to: string;
}

/** The last six months as they are in a zone, newest first; the present one ends with it. */
export function recentMonths(now: Date, timeZone: string): readonly (Range & { readonly start: Date })[] {
  const { year, month } = partsIn(now, timeZone);
  return Array.from({ length: MONTHS }, (_, back) => {
    const start = startOfMonth(year, month - back, timeZone);
    const end = startOfMonth(year, month - back + 1, timeZone);
    // A month whose clocks go back has an hour more than 31 days can hold.
    const from = new Date(Math.max(start.getTime(), end.getTime() - RANGE_DAYS_MAX * DAY_MS));
    return { start, from: from.toISOString(), to: end.toISOString() };
  });
}

/** The time that ends now, in whole minutes so that the same choice gives the same address for a while. */
export function lastDays(now: Date, days: number): Range {
  const end = Math.ceil(now.getTime() / 60_000) * 60_000;
  return { from: new Date(end - days * DAY_MS).toISOString(), to: new Date(end).toISOString() };
}

/** An instant as the value of a field for date and time in a zone: `2026-11-29T08:00`. */
export function toField(instant: string, timeZone: string): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() + offsetMs(at, timeZone)).toISOString().slice(0, 16);
}

/** The instant that such a field names, or undefined while it is not whole. */
export function fromField(value: string, timeZone: string): string | undefined {
  const local = Date.parse(`${value}:00Z`);
  if (value === "" || Number.isNaN(local)) return undefined;
  return instantOf(local, timeZone).toISOString();
}

/** Whether two fields make a time that can be asked for. */
export function isAskable(from: string | undefined, to: string | undefined): boolean {
  if (from === undefined || to === undefined) return false;
  const ms = Date.parse(to) - Date.parse(from);
  return ms > 0 && ms <= RANGE_DAYS_MAX * DAY_MS;
}

function startOfMonth(year: number, month: number, timeZone: string): Date {
  return instantOf(Date.UTC(year, month - 1, 1), timeZone);
}

/** The instant at which the clocks of a zone show a time that is given as if it were UTC. */
function instantOf(local: number, timeZone: string): Date {
  const guess = new Date(local - offsetMs(new Date(local), timeZone));
  return new Date(local - offsetMs(guess, timeZone));
}

function offsetMs(instant: Date, timeZone: string): number {
  const { year, month, day, hour, minute, second } = partsIn(instant, timeZone);
  const shown = Date.UTC(year, month - 1, day, hour, minute, second);
  return shown - Math.floor(instant.getTime() / 1_000) * 1_000;
}

function partsIn(instant: Date, timeZone: string) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  return {
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
    second: part("second"),
  };
}
