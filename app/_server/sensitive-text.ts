/** Stands for what is not shown. */
export const MASK = "••••••";

/**
 * Text with what is recognised as personal or secret masked: PRC identity numbers (their checksum is tested), mobile
 * numbers, bank cards (Luhn), JSON web tokens, private keys, and values behind names such as `password=`. Each pattern
 * starts at a border of its own alphabet and is bounded, so that the time is linear in the text.
 */
export function maskText(text: string): string {
  return text
    .replace(PRIVATE_KEY, `$1${MASK}`)
    .replace(JWT, `eyJ${MASK}`)
    .replace(NAMED_VALUE, (whole: string, name: string, value: string) =>
      value === MASK ? whole : `${name}${quoted(value)}`,
    )
    .replace(IDENTITY, (digits) => (isIdentityNumber(digits) ? maskIdentity(digits) : digits))
    .replace(CARD, (digits) => (isCardNumber(digits.replace(/[ -]/g, "")) ? maskCard(digits) : digits))
    .replace(MOBILE, (_, prefix: string, digits: string) => `${prefix}${maskMobile(digits)}`);
}

const PRIVATE_KEY =
  /(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----)[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g;
const JWT = /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g;
const NAMED_VALUE =
  /((?<![A-Za-z])(?:password|passwd|pwd|secret|(?:access|refresh|id|auth)?[_-]?token|api[_-]?key|authorization|cookie)["']?\s{0,4}[:=]\s{0,4}(?:(?:bearer|basic)\s{1,4})?)("[^"\n]*"|'[^'\n]*'|[^\s,;&"'}\])]+)/gi;
const IDENTITY = /(?<!\d)[1-9]\d{16}[\dXx](?![\dXx])/g;
const CARD = /(?<!\d|\d[ -])\d(?:[ -]?\d){12,18}(?!\d)/g;
const MOBILE = /(?<!\d)((?:\+?86[- ]?)?)(1[3-9]\d{9})(?!\d)/g;

function quoted(value: string): string {
  const quote = /^["']/.exec(value)?.[0] ?? "";
  return `${quote}${MASK}${quote}`;
}

/** A JSON number, which is masked only as a whole: a part of a longer number is no mobile number. */
export function maskNumber(raw: string): string | undefined {
  if (/^1[3-9]\d{9}$/.test(raw)) return maskMobile(raw);
  if (/^\d{18}$/.test(raw) && isIdentityNumber(raw)) return maskIdentity(raw);
  return /^\d{13,19}$/.test(raw) && isCardNumber(raw) ? maskCard(raw) : undefined;
}

const maskMobile = (digits: string) => `${digits.slice(0, 3)}••••${digits.slice(-4)}`;
const maskIdentity = (digits: string) => `${digits.slice(0, 3)}••••••••••••${digits.slice(-3)}`;
const maskCard = (digits: string) => `••••${digits.slice(-4)}`;

const IDENTITY_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

/** ISO 7064 MOD 11-2, as GB 11643 has it. */
export function isIdentityNumber(text: string): boolean {
  const sum = IDENTITY_WEIGHTS.reduce((total, weight, position) => total + weight * Number(text[position]), 0);
  return text.length === 18 && "10X98765432"[sum % 11] === text[17]?.toUpperCase();
}

/** The issuers' first digits and lengths; without them one 19-digit id in ten would pass for a card. */
const ISSUERS = /^(?:62\d{14,17}|4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|35\d{14}|6011\d{12})$/;

export function isCardNumber(digits: string): boolean {
  if (!ISSUERS.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, position) => {
    const doubled = Number(digit) * (position % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

const SECRET_PARTS =
  /password|passwd|passphrase|secret|token|apikey|accesskey|privatekey|credential|authorization|cookie|sessionid|bankcard|cardno|cardnumber|idcard|idnumber|identityno|identitynumber|certno/;
const SECRET_NAMES: ReadonlySet<string> = new Set([
  "pwd",
  "pin",
  "otp",
  "cvv",
  "cvv2",
  "cvc",
  "ssn",
  "auth",
  "身份证",
  "银行卡",
  "密码",
]);
const PHONE_PARTS = /mobile|phone|^tel$|手机/;

/** Whether the name of a member says that its value is not to be shown, or only in part. */
export function secrecyOf(name: string): "secret" | "phone" | undefined {
  const plain = name.toLowerCase().replace(/[\s_.-]/g, "");
  if (SECRET_NAMES.has(plain) || SECRET_PARTS.test(plain)) return "secret";
  return PHONE_PARTS.test(plain) ? "phone" : undefined;
}
