"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import type { FailedTaskPage } from "../_server/list-failed-tasks.ts";
import { FailedTaskEmpty } from "./failed-task-empty.tsx";
import { FailedTaskFilter } from "./failed-task-filter.tsx";
import { FailedTaskPager } from "./failed-task-pager.tsx";
import { FailedTaskTable } from "./failed-task-table.tsx";
import { LiveCard } from "./live-card.tsx";
import { FAILED_LIST_ID, failedTasksPath, useTaskListView } from "./task-list-address.ts";
import { useLiveQuery } from "./use-live-query.ts";
import { useTaskReset } from "./use-task-reset.ts";

/** The tasks that failed for good, each with what is known of its failure and the way to start it anew. */
export function FailedTasks() {
  const t = useTranslations("failed");
  const titleId = useId();
  const view = useTaskListView();
  const path = failedTasksPath(view);
  const query = useLiveQuery<FailedTaskPage>(path);
  const taskReset = useTaskReset();
  return (
    <div id={FAILED_LIST_ID} tabIndex={-1} className="min-w-0 rounded-lg">
      <LiveCard
        labelledBy={titleId}
        query={query}
        skeleton={<TaskRowsSkeleton />}
        header={
          <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2.5">
            <h2 id={titleId} className="font-semibold">
              {t("title")}
            </h2>
            <p className="text-xs text-ink-3">{t("hint")}</p>
            <FailedTaskFilter view={view} />
          </header>
        }
      >
        {(page) => (
          <>
            <FailedTaskTable key={path} page={page} taskReset={taskReset} empty={<FailedTaskEmpty view={view} />} />
            <FailedTaskPager page={page} view={view} />
          </>
        )}
      </LiveCard>
    </div>
  );
}

function TaskRowsSkeleton() {
  return ["w-40", "w-32", "w-48", "w-36"].map((width) => (
    <div key={width} className="flex h-12 items-center gap-6 border-b border-soft px-4 last:border-0">
      <span className="skeleton h-4 w-24" />
      <span className={`skeleton h-3.5 ${width}`} />
      <span className="skeleton h-3.5 flex-1" />
      <span className="skeleton h-6 w-16" />
    </div>
  ));
}
