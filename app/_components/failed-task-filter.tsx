"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { showTaskListView, type TaskListView } from "./task-list-address.ts";
import { useKnownOverview } from "./use-overview.ts";
import { visibleText } from "./visible-text.ts";

/** Narrows the list to one event type. The names come with the overview; asked for here, they would be read twice. */
export function FailedTaskFilter({ view }: { view: TaskListView }) {
  const t = useTranslations("failed");
  const selectId = useId();
  const overview = useKnownOverview();
  const known = overview?.eventTypes.map(({ eventType }) => eventType) ?? [];
  const names = view.eventType === undefined ? known : [...new Set([...known, view.eventType])];
  return (
    <div className="ms-auto flex min-w-0 items-center gap-2">
      <label htmlFor={selectId} className="text-xs text-ink-2 max-sm:sr-only">
        {t("filter")}
      </label>
      <select
        id={selectId}
        value={view.eventType ?? ""}
        onChange={({ target }) => showTaskListView({ eventType: target.value || undefined, cursor: undefined })}
        className="h-7 max-w-56 min-w-0 truncate rounded-md border border-line bg-card px-2"
      >
        <option value="">{t("allTypes")}</option>
        {[...names].sort().map((name) => (
          <option key={name} value={name}>
            {visibleText(name)}
          </option>
        ))}
      </select>
    </div>
  );
}
