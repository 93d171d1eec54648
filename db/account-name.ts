/** What an account's name is made of: letters, digits and the signs of mail addresses, nothing that looks like something else. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]*$/u;
export const ACCOUNT_NAME_CHARACTERS_MAX = 64;

/** A name as it is stored: composed in one way. Undefined if it is none. */
export function accountName(text: string): string | undefined {
  const name = text.trim().normalize("NFC");
  return NAME.test(name) && [...name].length <= ACCOUNT_NAME_CHARACTERS_MAX ? name : undefined;
}
