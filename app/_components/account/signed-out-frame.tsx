import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import type { Theme } from "../../_preferences/choices.ts";
import { Icon } from "../icons.tsx";
import { LanguageSwitch } from "../language-switch.tsx";
import { EnvironmentBadge } from "../shell/environment-badge.tsx";
import { ThemeSwitch } from "../theme-switch.tsx";

/** The frame of the pages that need no sign-in: no navigation, nothing of the database. */
export function SignedOutFrame(props: { theme: Theme; environment: string | undefined; children: ReactNode }) {
  const t = useTranslations("shell");
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr]">
      <header className="flex min-h-12 items-center gap-2 px-4 py-1 sm:px-5">
        <Icon name="redrive" className="size-5 text-accent" />
        <span className="text-[15px] font-semibold">{t("product")}</span>
        <EnvironmentBadge environment={props.environment} />
        <span className="me-auto" />
        <LanguageSwitch />
        <ThemeSwitch initial={props.theme} />
      </header>
      <main id="content" className="mx-auto grid w-full max-w-[400px] content-start px-3 pt-[8vh] pb-10">
        {props.children}
      </main>
    </div>
  );
}
