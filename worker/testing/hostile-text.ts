import fc from "fast-check";

/** Texts that have driven terminals, cut columns, ended quotes and looked like something else. */
export const HOSTILE_TEXTS = [
  "",
  " ",
  "\u001b[2J\u001b[31mred\u001b[0m",
  "\u009b2Jgone\u0007\b\r",
  "\u001b]0;title\u0007",
  "a\nb\tc\r\n",
  "\u202egnp.exe\u2066",
  "\u200f\u061c\u2028\u2029",
  "\ud83d\udc68\u200d\ud83d\udcbb\ud83c\udff4\u{e0067}\u{e007f}",
  "\ufffe\uffff\ufeff",
  'it\'s "quoted" `x` \\ \\0 %s %n ${x} $(x)',
  "'; DROP TABLE t_retry_task; -- ",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "订单支付",
  "__proto__",
  "null",
  "1e309",
] as const;

export const hostileText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
      { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength }) },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength }) },
    )
    .filter((text) => text.length <= maxLength);

/** What must never reach a terminal from a stored text or an argument: controls other than a line end or tab, turned text. */
export const DRIVES_TERMINAL = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
