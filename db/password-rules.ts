/** Why a password is not taken. */
export type PasswordProblem = "too_short" | "too_long" | "common" | "holds_name";

export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 256;

/** Words that most guesses begin with; a password that is little more than some of them is one of the first tried. */
const COMMON_WORDS = [
  ...["password", "passwort", "passw0rd", "p@ssw0rd", "p@ssword", "kennwort", "mima", "woaini", "wodemima"],
  ...["administrator", "admin", "root", "superuser", "operator", "redrive", "console", "mysql", "mariadb", "database"],
  ...["welcome", "letmein", "changeme", "changeit", "default", "secret", "test", "demo", "guest", "login", "master"],
  ...["qwertyuiop", "qwertz", "qwerty", "asdfghjkl", "zxcvbnm", "qazwsx", "1q2w3e4r5t", "1q2w3e4r", "q1w2e3r4"],
  ...["iloveyou", "princess", "dragon", "monkey", "sunshine", "football", "baseball", "superman", "trustno1"],
  ...["company", "summer", "winter", "spring", "autumn"],
];
const SEQUENCES = ["01234567890123456789", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"];
const SEQUENCES_BOTH_WAYS = [...SEQUENCES, ...SEQUENCES.map((text) => [...text].reverse().join(""))];
const DIFFERENT_CHARACTERS_MIN = 5;
const OWN_CHARACTERS_MIN = 5;

/** What is wrong with a new password of the account of that name; undefined if it is taken. Length counts most. */
export function passwordProblem(password: string, accountName: string): PasswordProblem | undefined {
  const text = password.normalize("NFKC");
  const length = [...text].length;
  if (length < PASSWORD_CHARACTERS_MIN) return "too_short";
  if (length > PASSWORD_CHARACTERS_MAX) return "too_long";
  const lower = text.toLowerCase();
  const name = accountName.normalize("NFKC").toLowerCase();
  if (name.length >= 3 && lower.replaceAll(name, "").length < OWN_CHARACTERS_MIN) return "holds_name";
  return isCommon(lower) ? "common" : undefined;
}

function isCommon(lower: string): boolean {
  if (new Set(lower).size < DIFFERENT_CHARACTERS_MIN) return true;
  // Two ways: with the marks that stand for letters, and without those that only separate.
  return [lower, lower.replace(/[\s._-]/g, "")].some((text) => ownPart(text).length < OWN_CHARACTERS_MIN);
}

/** What is left of a password when the words, years, runs and marks that everybody adds are taken away. */
function ownPart(text: string): string {
  let rest = text;
  for (const word of COMMON_WORDS) rest = rest.replaceAll(word, "");
  rest = rest.replace(/(?:19|20)\d\d/g, "").replace(/(.)\1{2,}/gu, "");
  return withoutSequences(rest).replace(/[!?.@#$*]+$/, "");
}

function withoutSequences(text: string): string {
  for (let start = 0; start + 4 <= text.length; start++) {
    let end = text.length;
    while (end - start >= 4 && !SEQUENCES_BOTH_WAYS.some((run) => run.includes(text.slice(start, end)))) end--;
    if (end - start >= 4) return withoutSequences(text.slice(0, start) + text.slice(end));
  }
  return text;
}
