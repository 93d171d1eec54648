"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { Icon } from "./icons.tsx";

const PAGES = [
  { path: "/", key: "overview", icon: "overview" },
  { path: "/archive", key: "archive", icon: "archive" },
] as const;

/** The pages of the console, the one that is shown marked. */
export function NavLinks() {
  const t = useTranslations("shell");
  const page = useTranslations("pages");
  const current = usePathname();
  return (
    <nav aria-label={t("navigation")} className="flex gap-0.5 max-lg:ms-auto max-lg:overflow-x-auto lg:flex-col">
      {PAGES.map(({ path, key, icon }) => (
        <Link
          key={path}
          href={path}
          aria-current={isWithin(current, path) ? "page" : undefined}
          className="flex min-h-8 items-center gap-2 rounded-md px-2.5 whitespace-nowrap text-ink-2 hover:text-ink aria-[current=page]:bg-soft aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          <Icon name={icon} />
          {page(`${key}`)}
        </Link>
      ))}
    </nav>
  );
}

function isWithin(current: string, path: string): boolean {
  return path === "/" ? current === "/" : current === path || current.startsWith(`${path}/`);
}
