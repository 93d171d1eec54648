import { sql, type SQL } from "drizzle-orm";

/** Characters that mean themselves in a quoted literal in every character set and every sql_mode, and are no placeholder. */
const PLAIN = /^[ !"#$%&()*+,\-./0-9:;<=>@A-Z[\]^_`a-z{|}~]*$/;

/**
 * Text as a literal that arrives byte for byte in any session. A caller's session may speak latin1, which has no place
 * for most characters, or run with NO_BACKSLASH_ESCAPES, under which drivers quote wrongly; neither is ours to change.
 */
export function textLiteral(text: string): SQL {
  return sql.raw(literalText(text));
}

/** `textLiteral` as text, for statements of so many parts that composing each of them costs more than the insert. */
export function literalText(text: string): string {
  if (PLAIN.test(text)) return `_utf8mb4'${text}'`;
  return `_utf8mb4 x'${Buffer.from(text, "utf8").toString("hex")}'`;
}

/** `literalText`, or NULL. */
export function literalTextOrNull(text: string | undefined | null): string {
  return text === undefined || text === null ? "NULL" : literalText(text);
}
