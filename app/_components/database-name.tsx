"use client";

import { useTranslations } from "next-intl";
import { Icon } from "./icons.tsx";
import { useKnownOverview } from "./use-overview.ts";

/** Which database the page tells of; known once the overview has been read. */
export function DatabaseName() {
  const t = useTranslations("shell");
  const overview = useKnownOverview();
  return (
    <p className="me-auto flex min-w-0 items-center gap-1.5 text-ink-2 max-sm:sr-only" title={t("database")}>
      {overview && (
        <>
          <Icon name="database" />
          <span className="sr-only">{t("database")}</span>
          <span className="truncate">{overview.database}</span>
        </>
      )}
    </p>
  );
}
