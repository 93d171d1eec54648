"use client";

import { useTranslations } from "next-intl";
import { StateMessage } from "./state-message.tsx";
import { showTaskListView, type TaskListView } from "./task-list-address.ts";
import { visibleText } from "./visible-text.ts";

/** Why there is no row: good news, a filter, or a page whose tasks have left. */
export function FailedTaskEmpty({ view }: { view: TaskListView }) {
  const t = useTranslations("failed");
  if (view.cursor !== undefined) {
    return (
      <StateMessage tone="neutral" title={t("emptyPageTitle")} hint={t("emptyPageHint")}>
        <button
          type="button"
          className="button"
          onClick={() => showTaskListView({ eventType: view.eventType, cursor: undefined })}
        >
          {t("newest")}
        </button>
      </StateMessage>
    );
  }
  if (view.eventType !== undefined) {
    return (
      <StateMessage
        tone="neutral"
        title={t("emptyFilteredTitle")}
        hint={t("emptyFilteredHint", { eventType: visibleText(view.eventType) })}
      >
        <button
          type="button"
          className="button"
          onClick={() => showTaskListView({ eventType: undefined, cursor: undefined })}
        >
          {t("clearFilter")}
        </button>
      </StateMessage>
    );
  }
  return <StateMessage tone="good" title={t("emptyTitle")} hint={t("emptyHint")} />;
}
