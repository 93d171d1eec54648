"use client";

import { useLocale, useTranslations } from "next-intl";
import { useRouter } from "next/navigation";
import { type Locale, LOCALE_COOKIE } from "../_i18n/locales.ts";
import { rememberPreference } from "../_preferences/remember-preference.ts";
import { Segmented } from "./segmented.tsx";

/** Each language is named in itself, so this list needs no translation. */
const LANGUAGES = [
  { value: "en", lang: "en", name: "English", content: "EN" },
  { value: "zh-CN", lang: "zh-CN", name: "简体中文", content: "中" },
] as const satisfies readonly { value: Locale; lang: Locale; name: string; content: string }[];

export function LanguageSwitch() {
  const t = useTranslations("shell");
  const locale = useLocale();
  const router = useRouter();
  return (
    <Segmented<Locale>
      label={t("language")}
      value={locale}
      segments={LANGUAGES}
      choose={(next) => {
        rememberPreference(LOCALE_COOKIE, next);
        router.refresh();
      }}
    />
  );
}
