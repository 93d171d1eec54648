/** A language and a colour scheme in which a page is looked at. */
export type Look = readonly [language: "en" | "zh-CN", scheme: "light" | "dark"];

export const ALL_LOOKS: readonly Look[] = [
  ["en", "light"],
  ["zh-CN", "dark"],
  ["en", "dark"],
  ["zh-CN", "light"],
];

/** Each language and each scheme once; REDRIVE_ALL_LOOKS=1: in all four pairs. */
export const LOOKS: readonly Look[] = process.env["REDRIVE_ALL_LOOKS"] === "1" ? ALL_LOOKS : ALL_LOOKS.slice(0, 2);
