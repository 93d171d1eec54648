"use client";

import { useTranslations } from "next-intl";
import type { FailedTaskPage } from "../_server/list-failed-tasks.ts";
import { showTaskListView, type TaskListView } from "./task-list-address.ts";

/** Moves through the list by cursor, so that rows neither repeat nor vanish while tasks come and go. */
export function FailedTaskPager({ page, view }: { page: FailedTaskPage; view: TaskListView }) {
  const t = useTranslations("failed");
  const { eventType } = view;
  if (page.nextCursor === undefined && view.cursor === undefined) return null;
  return (
    <footer className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2">
      <p className="me-auto text-xs text-ink-3">{t("pageHint", { count: page.items.length })}</p>
      {view.cursor !== undefined && (
        <button type="button" className="button" onClick={() => showTaskListView({ eventType, cursor: undefined })}>
          {t("newest")}
        </button>
      )}
      {page.nextCursor !== undefined && (
        <button
          type="button"
          className="button"
          onClick={() => showTaskListView({ eventType, cursor: page.nextCursor })}
        >
          {t("older")}
        </button>
      )}
    </footer>
  );
}
