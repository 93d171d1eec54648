"use client";

import { useLocale, useTranslations } from "next-intl";
import type { ArchiveListAnswer } from "../../_server/browse-archive.ts";
import { describeZone, formatInstant } from "../format-time.ts";
import { StateMessage } from "../state-message.tsx";
import { useZone } from "../zone.tsx";
import type { ArchiveView } from "./archive-view.ts";

/** Why there is no row: nothing was archived, nothing matches, or nothing among the rows that were looked at so far. */
export function ArchiveEmpty({ page, view }: { page: ArchiveListAnswer; view: ArchiveView }) {
  const t = useTranslations("archive");
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  if (page.nextCursor !== undefined) {
    return <StateMessage tone="neutral" title={t("emptyPartialTitle")} hint={t("emptyPartialHint")} />;
  }
  const shown = (instant: string) => formatInstant(new Date(instant), locale, timeZone);
  const range =
    page.from === undefined || page.to === undefined
      ? t("rangeAll")
      : `${shown(page.from)} – ${shown(page.to)} ${describeZone(timeZone, new Date(page.to))}`;
  const isFiltered = [view.type, view.state, view.key, view.cause, view.id].some((filter) => filter !== null);
  return isFiltered ? (
    <StateMessage tone="neutral" title={t("emptyFilteredTitle")} hint={t("emptyFilteredHint", { range })} />
  ) : (
    <StateMessage tone="neutral" icon="archive" title={t("emptyTitle")} hint={`${range}. ${t("emptyHint")}`} />
  );
}
