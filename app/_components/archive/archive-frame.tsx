"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";

/** The grey frame around everything that is archived, so that nobody takes it for live tasks. */
export function ArchiveFrame({ children }: { children: ReactNode }) {
  const t = useTranslations("archive");
  return (
    <div className="archive-frame grid min-w-0 gap-3 rounded-xl p-2 sm:p-4" data-watermark={t("watermark")}>
      {children}
    </div>
  );
}
