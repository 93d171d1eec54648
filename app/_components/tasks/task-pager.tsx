"use client";

import { useFormatter, useTranslations } from "next-intl";
import type { TaskPage } from "../../_server/list-tasks.ts";

/** The way to the next and the previous page, and how far the search came where it looks at rows. */
export function TaskPager(props: { page: TaskPage; isFirst: boolean; goTo: (cursor: string | undefined) => void }) {
  const { page, goTo } = props;
  const t = useTranslations("tasks");
  const format = useFormatter();
  return (
    <nav aria-label={t("pages")} className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2">
      <p className="me-auto text-xs text-ink-3">
        {t("pageHint", { count: page.items.length })}
        {!page.exhausted && (
          <span className="ms-2 text-warn">
            {t("scanned", { count: page.scanned, number: format.number(page.scanned) })}
          </span>
        )}
      </p>
      {!props.isFirst && (
        <button type="button" className="button" onClick={() => goTo(undefined)}>
          {t("firstPage")}
        </button>
      )}
      <button
        type="button"
        className="button"
        disabled={page.prevCursor === undefined}
        onClick={() => goTo(page.prevCursor)}
      >
        {t("previous")}
      </button>
      <button
        type="button"
        className="button"
        disabled={page.nextCursor === undefined}
        onClick={() => goTo(page.nextCursor)}
      >
        {page.exhausted ? t("next") : t("searchOn")}
      </button>
    </nav>
  );
}
