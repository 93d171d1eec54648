/** The languages of the console; each has its folder in `_messages`, with a file for each namespace. */
export const LOCALES = ["en", "zh-CN"] as const;
export type Locale = (typeof LOCALES)[number];

export const LOCALE_COOKIE = "redrive_locale";

const DEFAULT_LOCALE: Locale = "en";

export function isLocale(text: string | undefined): text is Locale {
  return LOCALES.some((locale) => locale === text);
}

/** The language of a page: what the person chose, else the first of the browser's that the console speaks, else English. */
export function chooseLocale(chosen: string | undefined, acceptLanguage: string | null | undefined): Locale {
  if (isLocale(chosen)) return chosen;
  return wishes(acceptLanguage ?? "").find((locale) => locale !== undefined) ?? DEFAULT_LOCALE;
}

function wishes(acceptLanguage: string): (Locale | undefined)[] {
  return acceptLanguage
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim());
      const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return { tag: tag.toLowerCase(), quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ tag, quality }) => tag !== "" && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => localeOfTag(tag));
}

function localeOfTag(tag: string): Locale | undefined {
  const [language] = tag.split("-");
  if (language === "zh") return "zh-CN";
  return language === "en" ? "en" : undefined;
}
