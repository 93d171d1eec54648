"use client";

import { useFormatter, useTranslations } from "next-intl";
import type { ArchiveSummary } from "../../_server/archive-summary.ts";
import { Icon } from "../icons.tsx";

/** What the archive no longer holds, and about how much it holds. */
export function ArchiveBanner({ summary }: { summary: ArchiveSummary | undefined }) {
  const t = useTranslations("archive");
  const format = useFormatter();
  const archived = summary?.archivedPerDay.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className="flex min-h-6 flex-wrap items-center gap-x-4 gap-y-1 px-1 text-xs text-ink-2">
      <span className="inline-flex items-center gap-1.5 font-semibold text-ink">
        <Icon name="archive" className="size-4" />
        {t("title")}
      </span>
      {summary?.deletedBefore !== undefined && (
        <p className="font-medium text-warn">{t("deleted", { day: summary.deletedBefore })}</p>
      )}
      {summary !== undefined && summary.partlyDeleted.length > 0 && (
        <p title={summary.partlyDeleted.join(", ")}>{t("partlyDeleted", { count: summary.partlyDeleted.length })}</p>
      )}
      {summary?.estimate !== undefined && summary.estimate.days.length > 0 && (
        <p>{t("estimate", { count: format.number(summary.estimate.rows), days: summary.estimate.days.length })}</p>
      )}
      {archived !== undefined && archived > 0 && <p>{t("perDay", { count: archived })}</p>}
    </div>
  );
}
