import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { OwnMenu } from "./account/own-menu.tsx";
import { DatabaseName } from "./database-name.tsx";
import { Icon } from "./icons.tsx";
import { LanguageSwitch } from "./language-switch.tsx";
import { NavLinks } from "./nav-links.tsx";
import type { KeysChoice, Theme } from "../_preferences/choices.ts";
import { RefreshControl } from "./refresh-control.tsx";
import { ConnectionBanner } from "./shell/connection-banner.tsx";
import { EnvironmentBadge } from "./shell/environment-badge.tsx";
import { KeyboardKeys } from "./shell/keyboard-keys.tsx";
import { ReadOnlyBanner } from "./shell/read-only-banner.tsx";
import { SearchBox } from "./shell/search-box.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";
import { ZoneSwitch } from "./zone-switch.tsx";

/**
 * The frame of every page: brand, environment and pages at the side (at the bottom of a phone); search, freshness, zone,
 * language, theme and the person's own menu at the top.
 */
export function AppShell(props: {
  theme: Theme;
  keys: KeysChoice;
  environment: string | undefined;
  isReadOnly: boolean;
  children: ReactNode;
}) {
  const t = useTranslations("shell");
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr] lg:grid-cols-[200px_1fr] lg:grid-rows-1">
      <a href="#content" className="button absolute start-2 top-2 z-30 not-focus:sr-only">
        {t("skip")}
      </a>
      <aside className="flex min-w-0 items-center gap-2 border-line bg-card px-3 py-1.5 max-lg:border-b lg:flex-col lg:items-stretch lg:border-e lg:px-2 lg:py-3">
        <div className="flex items-center gap-2 px-1 text-[15px] font-semibold lg:px-2 lg:pb-3">
          <Icon name="redrive" className="size-5 text-accent" />
          {t("product")}
          <EnvironmentBadge environment={props.environment} />
        </div>
        <NavLinks />
      </aside>
      <div className="min-w-0 max-sm:pb-14">
        <header className="flex min-h-12 flex-wrap items-center justify-end gap-x-2 gap-y-1 border-b border-line bg-card px-3 py-1 sm:px-5">
          <SearchBox />
          <DatabaseName />
          <RefreshControl />
          <span className="mx-1 h-4 w-px bg-line max-sm:hidden" />
          <ZoneSwitch />
          <LanguageSwitch />
          <ThemeSwitch initial={props.theme} />
          <KeyboardKeys initial={props.keys} />
          <OwnMenu />
        </header>
        {props.isReadOnly && <ReadOnlyBanner />}
        <ConnectionBanner />
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto grid max-w-[1680px] grid-cols-1 gap-4 p-3 focus:outline-none sm:p-5"
        >
          {props.children}
        </main>
      </div>
    </div>
  );
}
