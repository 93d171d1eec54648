"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { NAV_COOKIE, type NavChoice } from "../../_preferences/choices.ts";
import { rememberPreference } from "../../_preferences/remember-preference.ts";
import { Icon } from "../icons.tsx";

/** Makes the navigation at the side a column of icons, and a column of words again. */
export function NavToggle({ initial }: { initial: NavChoice }) {
  const t = useTranslations("shell");
  const [choice, setChoice] = useState(initial);
  const isCollapsed = choice === "collapsed";
  const name = isCollapsed ? t("expand") : t("collapse");
  return (
    <button
      type="button"
      aria-label={name}
      title={name}
      aria-expanded={!isCollapsed}
      onClick={() => {
        const next = isCollapsed ? "open" : "collapsed";
        rememberPreference(NAV_COOKIE, next);
        document.documentElement.dataset["nav"] = next;
        setChoice(next);
      }}
      className="flex shrink-0 min-h-8 items-center gap-2 rounded-md px-2.5 text-ink-3 hover:text-ink max-lg:hidden lg:nav-collapsed:justify-center"
    >
      <Icon name="panel" />
    </button>
  );
}
