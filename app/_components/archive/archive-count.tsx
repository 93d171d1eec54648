"use client";

import { useTranslations } from "next-intl";
import { useStillQuery } from "../use-still-query.ts";
import { archiveQuery, type ArchiveView } from "./archive-view.ts";

/** How many tasks the filters find; counted apart from the rows, which do not wait for it. */
export function ArchiveCount({ view }: { view: ArchiveView }) {
  const t = useTranslations("archive");
  const { data, error } = useStillQuery<{ count: number; isCapped: boolean }>(
    `/api/v1/archive/count${archiveQuery(view)}`,
  );
  const text = data
    ? data.isCapped
      ? t("countAtLeast", { count: data.count })
      : t("count", { count: data.count })
    : error
      ? t("countFailed")
      : t("counting");
  return <p className="ms-auto text-xs text-ink-2">{text}</p>;
}
