"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import { usePathname } from "next/navigation";
import type messages from "../_messages/en/index.ts";
import type { Permission } from "../_server/permissions.ts";
import { useAsker } from "./account/asker.tsx";
import { Icon, type IconName } from "./icons.tsx";

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

/** The pages of the console, the one that is shown marked: at the side, on top, or at the bottom of a phone. */
export function NavLinks() {
  const t = useTranslations("shell");
  const page = useTranslations("pages");
  const current = usePathname();
  const pages = useNavPages();
  return (
    <nav
      aria-label={t("navigation")}
      className="flex gap-0.5 max-lg:ms-auto max-lg:overflow-x-auto max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:z-20 max-sm:border-t max-sm:border-line max-sm:bg-card max-sm:pb-[env(safe-area-inset-bottom)] lg:flex-col"
    >
      {pages.map(({ path, key, icon }) => (
        <Link
          key={path}
          href={path}
          aria-current={isWithin(current, path) ? "page" : undefined}
          className="flex min-h-8 items-center gap-2 rounded-md px-2.5 whitespace-nowrap text-ink-2 hover:text-ink aria-[current=page]:bg-soft aria-[current=page]:font-medium aria-[current=page]:text-ink max-sm:min-h-12 max-sm:min-w-16 max-sm:flex-1 max-sm:flex-col max-sm:justify-center max-sm:gap-0.5 max-sm:px-1 max-sm:text-xs"
        >
          <Icon name={icon} className="size-3.5 max-sm:size-4" />
          {page(`${key}`)}
        </Link>
      ))}
    </nav>
  );
}

function isWithin(current: string, path: string): boolean {
  return path === "/" ? current === "/" : current === path || current.startsWith(`${path}/`);
}
