"use client";

import { useTranslations } from "next-intl";
import type { ArchiveListAnswer } from "../../_server/browse-archive.ts";
import { type ArchiveView, PAGE_ROWS, type ShowArchive } from "./archive-view.ts";

/** Moves through the list in both directions by cursor, so that rows neither repeat nor vanish. */
export function ArchivePager(props: { page: ArchiveListAnswer; view: ArchiveView; show: ShowArchive }) {
  const { page, view, show } = props;
  const t = useTranslations("archive");
  const { nextCursor, prevCursor, items } = page;
  if (nextCursor === undefined && prevCursor === undefined && view.cursor === null) return null;
  return (
    <footer className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2">
      <p className="me-auto text-xs text-ink-3">
        {t("pageHint", { count: items.length })}
        {nextCursor !== undefined && items.length > 0 && items.length < PAGE_ROWS && ` · ${t("partial")}`}
      </p>
      {view.cursor !== null && (
        <button type="button" className="button" onClick={() => show({ cursor: null })}>
          {t("newest")}
        </button>
      )}
      {prevCursor !== undefined && (
        <button type="button" className="button" onClick={() => show({ cursor: prevCursor })}>
          {t("newer")}
        </button>
      )}
      {nextCursor !== undefined && (
        <button type="button" className="button" onClick={() => show({ cursor: nextCursor })}>
          {t("older")}
        </button>
      )}
    </footer>
  );
}
