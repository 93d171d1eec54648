import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { DatabaseName } from "./database-name.tsx";
import { Icon } from "./icons.tsx";
import { KeyboardKeys } from "./keys/keyboard-keys.tsx";
import { KeysProvider } from "./keys/keys.tsx";
import { LanguageSwitch } from "./language-switch.tsx";
import { NavLinks } from "./nav-links.tsx";
import type { KeysChoice, NavChoice, Theme } from "../_preferences/choices.ts";
import { RefreshControl } from "./refresh-control.tsx";
import { ConnectionBanner } from "./shell/connection-banner.tsx";
import { EnvironmentBadge } from "./shell/environment-badge.tsx";
import { OwnMenu, VerdictDot } from "./shell/late-parts.tsx";
import { NavToggle } from "./shell/nav-toggle.tsx";
import { PaletteOpener } from "./shell/palette-opener.tsx";
import { ReadOnlyBanner } from "./shell/read-only-banner.tsx";
import { SearchBox } from "./shell/search-box.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";
import { ZoneSwitch } from "./zone-switch.tsx";

/**
 * The frame of every page: brand and pages at the side (at the bottom of a phone); environment, state of the system,
 * search, freshness, zone, language, theme and the person's own menu at the top.
 */
export function AppShell(props: {
  theme: Theme;
  keys: KeysChoice;
  nav: NavChoice;
  environment: string | undefined;
  isReadOnly: boolean;
  children: ReactNode;
}) {
  const t = useTranslations("shell");
  return (
    <KeysProvider initial={props.keys}>
      <div className="grid min-h-dvh grid-rows-[auto_1fr] max-sm:grid-rows-1 lg:grid-cols-[200px_1fr] lg:grid-rows-1 lg:nav-collapsed:grid-cols-[56px_1fr]">
        <a href="#content" className="button absolute start-2 top-2 z-30 not-focus:sr-only">
          {t("skip")}
        </a>
        <aside className="min-w-0 border-line bg-card max-lg:border-b max-sm:contents lg:border-e">
          <div className="flex min-w-0 items-center gap-2 px-3 py-1.5 max-sm:contents lg:sticky lg:top-0 lg:h-dvh lg:flex-col lg:items-stretch lg:overflow-y-auto lg:px-2 lg:py-3">
            <div className="flex items-center gap-2 px-1 text-[15px] font-semibold max-sm:hidden lg:px-2 lg:pb-3 lg:nav-collapsed:justify-center">
              <Icon name="redrive" className="size-5 text-accent" />
              <span className="lg:nav-collapsed:sr-only">{t("product")}</span>
            </div>
            <NavLinks />
            <DatabaseName />
            <NavToggle initial={props.nav} />
          </div>
        </aside>
        <div className="min-w-0 max-sm:pb-14">
          <header className="flex min-h-12 flex-wrap items-center justify-end gap-x-2 gap-y-1 border-b border-line bg-card px-3 py-1 max-sm:gap-x-0.5 sm:px-5">
            <Icon name="redrive" className="me-1.5 size-5 text-accent sm:hidden" />
            <EnvironmentBadge environment={props.environment} />
            <VerdictDot />
            <SearchBox />
            <PaletteOpener />
            <span className="me-auto" />
            <RefreshControl />
            <span className="mx-1 h-4 w-px bg-line max-sm:hidden" />
            <ZoneSwitch />
            <LanguageSwitch />
            <ThemeSwitch initial={props.theme} />
            <KeyboardKeys />
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
    </KeysProvider>
  );
}
