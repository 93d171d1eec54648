/** What an account's name is made of: letters, digits and the signs of mail addresses, nothing that looks like something else. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]*$/u;
export const ACCOUNT_NAME_CHARACTERS_MAX = 64;

/** A name as it is stored: composed in one way. Undefined if it is none. */
export function accountName(text: string): string | undefined {
  const name = text.trim().normalize("NFC");
  return NAME.test(name) && [...name].length <= ACCOUNT_NAME_CHARACTERS_MAX ? name : undefined;
}

/** What the history and the audit put before the names of those that are no people: machines' tokens, providers. */
export const RESERVED_PREFIXES = ["token:", "oidc:"] as const;

/** Whether a person's deeds under this name would look like those of a machine or a provider. */
export function isReservedName(name: string): boolean {
  const lower = name.trim().normalize("NFC").toLowerCase();
  return RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}
