"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import { usePathname } from "next/navigation";
import type messages from "../_messages/en/index.ts";
import type { Permission } from "../_server/permissions.ts";
import { useAsker } from "./account/asker.tsx";
import { Icon, type IconName } from "./icons.tsx";
import { MoreMenu } from "./shell/late-parts.tsx";

/** A page in the navigation. One that needs a permission is shown only to whom has it. */
export interface NavPage {
  readonly path: string;
  readonly key: keyof (typeof messages)["pages"];
  readonly icon: IconName;
  readonly permission?: Permission;
}

export const PAGES: readonly NavPage[] = [
  { path: "/", key: "overview", icon: "overview" },
  { path: "/tasks", key: "tasks", icon: "list" },
  { path: "/causes", key: "causes", icon: "warning" },
  { path: "/bulk", key: "bulk", icon: "redrive" },
  { path: "/archive", key: "archive", icon: "archive" },
  { path: "/audit", key: "audit", icon: "audit", permission: "audit.read" },
  { path: "/tokens", key: "tokens", icon: "key", permission: "accounts.manage" },
  { path: "/accounts", key: "accounts", icon: "people", permission: "accounts.manage" },
];

/** The pages that the person may see. */
export function useNavPages(): readonly NavPage[] {
  const asker = useAsker();
  return PAGES.filter(({ permission }) => permission === undefined || asker?.permissions.includes(permission));
}

/** So many fit at the bottom of a phone beside the menu of the others. */
const TABS_MAX = 4;

const TAB =
  "max-sm:min-h-12 max-sm:min-w-0 max-sm:flex-1 max-sm:flex-col max-sm:justify-center max-sm:gap-0.5 max-sm:px-1 max-sm:text-xs";
const LINK = `flex min-h-8 items-center gap-2 rounded-md px-2.5 whitespace-nowrap text-ink-2 hover:text-ink ${TAB}`;
const CURRENT = "bg-soft font-medium text-ink";

/** The pages of the console, the one that is shown marked: at the side, on top, or at the bottom of a phone. */
export function NavLinks() {
  const t = useTranslations("shell");
  const page = useTranslations("pages");
  const current = usePathname();
  const pages = useNavPages();
  const others = pages.length > TABS_MAX + 1 ? pages.slice(TABS_MAX) : [];
  return (
    <nav
      aria-label={t("navigation")}
      className="flex gap-0.5 max-lg:ms-auto max-lg:overflow-x-auto max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:z-20 max-sm:border-t max-sm:border-line max-sm:bg-card max-sm:pb-[env(safe-area-inset-bottom)] lg:flex-col"
    >
      {pages.map((one) => {
        const { path, key, icon } = one;
        const isCurrent = isWithin(current, path);
        return (
          <Link
            key={path}
            href={path}
            title={page(`${key}`)}
            aria-current={isCurrent ? "page" : undefined}
            className={`${LINK} ${isCurrent ? CURRENT : ""} ${others.includes(one) ? "max-sm:hidden" : ""} lg:nav-collapsed:justify-center`}
          >
            <Icon name={icon} className="size-3.5 max-sm:size-4 lg:nav-collapsed:size-4" />
            {/* Five tabs of a phone have no room for two words. */}
            <span className="sm:hidden">{key === "bulk" ? page("bulkTab") : page(`${key}`)}</span>
            <span className="max-sm:hidden lg:nav-collapsed:sr-only">{page(`${key}`)}</span>
          </Link>
        );
      })}
      {others.length > 0 && (
        <div className="flex flex-1 sm:hidden">
          <MoreMenu
            pages={others}
            buttonClass={`${LINK} ${others.some(({ path }) => isWithin(current, path)) ? CURRENT : ""}`}
          />
        </div>
      )}
    </nav>
  );
}

function isWithin(current: string, path: string): boolean {
  return path === "/" ? current === "/" : current === path || current.startsWith(`${path}/`);
}
