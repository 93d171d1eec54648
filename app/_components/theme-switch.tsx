"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Icon } from "./icons.tsx";
import { type Theme, THEME_COOKIE } from "../_preferences/choices.ts";
import { rememberPreference } from "../_preferences/remember-preference.ts";
import { Segmented } from "./segmented.tsx";

export function ThemeSwitch({ initial }: { initial: Theme }) {
  const t = useTranslations("shell");
  const [theme, setTheme] = useState(initial);
  const choose = (next: Theme) => {
    rememberPreference(THEME_COOKIE, next);
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    setTheme(next);
  };
  return (
    <Segmented<Theme>
      label={t("theme")}
      value={theme}
      choose={choose}
      segments={[
        { value: "system", name: t("themeSystem"), content: <Icon name="system" /> },
        { value: "light", name: t("themeLight"), content: <Icon name="sun" /> },
        { value: "dark", name: t("themeDark"), content: <Icon name="moon" /> },
      ]}
    />
  );
}
