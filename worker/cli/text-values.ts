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
  return text.replaceAll(UNPRINTABLE, (character) => {
    if (isMultiline && (character === "\n" || character === "\t")) return character;
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    return escaped(character);
  });
}

/** Control characters, further line ends, and what turns the direction of text. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/** A document whose text drives no terminal either: JSON itself escapes only the first 32 control characters. */
export function printableJson(value: unknown, indent: number): string {
  return JSON.stringify(value, null, indent).replaceAll(UNPRINTABLE, (character) =>
    character === "\n" ? character : escaped(character),
  );
}

const WORD_MAX = 80;

/** A word of the command line as a message repeats it: on one line, and no longer than helps. */
export function shownWord(word: string): string {
  return headOf(printable(word), WORD_MAX);
}

export function quoted(word: string): string {
  return `"${shownWord(word)}"`;
}

/** The head of a text, marked if it was cut; never through a character. */
export function headOf(text: string, charactersMax: number): string {
  const characters = [...text];
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 1).join("")}…`;
}
