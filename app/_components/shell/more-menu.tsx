"use client";

import { useTranslations } from "next-intl";
import { useRouter } from "next/navigation";
import { Icon } from "../icons.tsx";
import type { NavPage } from "../nav-links.tsx";
import { ButtonMenu, MenuItem } from "./menu.tsx";

/** The pages that have no room of their own at the bottom of a phone. */
export function MoreMenu({ pages, buttonClass }: { pages: readonly NavPage[]; buttonClass: string }) {
  const t = useTranslations("shell");
  const page = useTranslations("pages");
  const router = useRouter();
  return (
    <ButtonMenu
      label={t("more")}
      buttonClass={buttonClass}
      button={
        <>
          <Icon name="more" className="size-4" />
          {t("more")}
        </>
      }
    >
      {pages.map(({ path, key, icon }) => (
        <MenuItem key={path} onSelect={() => router.push(path)}>
          <Icon name={icon} />
          {page(`${key}`)}
        </MenuItem>
      ))}
    </ButtonMenu>
  );
}
