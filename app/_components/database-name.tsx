"use client";

import { useTranslations } from "next-intl";
import { Icon } from "./icons.tsx";
import { useKnownOverview } from "./use-overview.ts";

/** Which database the page tells of, at the foot of the navigation; known once the overview has been read. */
export function DatabaseName() {
  const t = useTranslations("shell");
  const overview = useKnownOverview();
  return (
    <p
      title={overview ? `${t("database")}: ${overview.database}` : t("database")}
      className="mt-auto flex min-h-8 min-w-0 items-center gap-2 px-2.5 text-xs text-ink-2 max-lg:sr-only lg:nav-collapsed:justify-center"
    >
      {overview && (
        <>
          <Icon name="database" />
          <span className="sr-only">{t("database")}</span>
          <span className="truncate lg:nav-collapsed:sr-only">{overview.database}</span>
        </>
      )}
    </p>
  );
}
