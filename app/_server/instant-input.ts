import * as z from "zod";

const YEAR_MIN = 1970;
const YEAR_MAX = 2999;

/**
 * An instant as ISO text with its offset. Within years that every server stores in any zone, with room for arithmetic:
 * beyond them MySQL refuses a comparison as a mistake of ours, and MariaDB answers it with a guess.
 */
export const instantText = z.iso
  .datetime({ offset: true, error: "is not an instant such as 2026-05-01T12:00:00Z" })
  .refine((text) => isWithin(new Date(text)), `is not in the years ${YEAR_MIN} to ${YEAR_MAX}`);

/** The same as a date. */
export const instant = instantText.transform((text) => new Date(text));

/**
 * Whether a text names a time as the tables store it, in milliseconds or finer. A cursor comes from outside: MySQL takes
 * a 30 February in it for a mistake of ours.
 */
export function isStoredTime(text: string): boolean {
  const [, seconds = ""] = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.\d{1,6})?$/.exec(text) ?? [];
  const time = new Date(`${seconds.replace(" ", "T")}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(seconds.replace(" ", "T"));
}

function isWithin(time: Date): boolean {
  return time.getUTCFullYear() >= YEAR_MIN && time.getUTCFullYear() <= YEAR_MAX;
}
