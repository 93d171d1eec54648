import type { SessionZone } from "../../db/session-zone.ts";

/** An instant in the zone of the database, with the zone beside it: `2026-03-01 08:00:00.000 +08:00`. */
export function instantText(zone: SessionZone, instant: Date | undefined): string {
  if (instant === undefined) return "-";
  return Number.isNaN(instant.getTime()) ? "invalid" : `${zone.format(instant)} ${zone.name}`;
}

/**
 * Text from a task or an error with every control character made visible, so that it can neither move the cursor nor
 * colour the terminal. Line ends stay if `isMultiline`.
 */
export function printable(text: string, isMultiline = false): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    if (isMultiline && (character === "\n" || character === "\t")) return character;
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}

/** The head of a text, marked if it was cut; never through a character. */
export function headOf(text: string, charactersMax: number): string {
  const characters = [...text];
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 1).join("")}…`;
}
