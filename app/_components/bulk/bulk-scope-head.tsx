"use client";

import { useTranslations } from "next-intl";

/** Which tasks an action is about, in words, and the way out of its panel. */
export function ScopeHead({ words, close }: { words: readonly string[]; close: () => void }) {
  const t = useTranslations("bulkPanel");
  return (
    <>
      <button type="button" className="button absolute end-4 top-4" onClick={close}>
        {t("close")}
      </button>
      <section aria-label={t("scope")} className="rounded-md bg-soft px-3 py-2">
        <h3 className="text-xs text-ink-2">{t("scope")}</h3>
        <ul className="flex flex-wrap gap-x-2 gap-y-1 font-medium">
          {words.map((word) => (
            <li
              key={word}
              dir="auto"
              className="wrap-anywhere after:ms-2 after:text-ink-3 not-last:after:content-['·']"
            >
              {word}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
