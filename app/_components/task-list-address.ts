"use client";

import { useSearchParams } from "next/navigation";

export const FAILED_LIST_ID = "failed-tasks";

/** Which failed tasks the page shows. It lives in the address, so that a view can be sent to a colleague. */
export interface TaskListView {
  readonly eventType: string | undefined;
  readonly cursor: string | undefined;
}

export function useTaskListView(): TaskListView {
  const params = useSearchParams();
  return { eventType: params.get("eventType") || undefined, cursor: params.get("cursor") || undefined };
}

/** Goes to another view of the list; the back button returns. Names and values that are not set are left out. */
export function showTaskListView(view: TaskListView): void {
  const address = new URL(window.location.href);
  // What else the address says, such as the range of the charts, stays.
  for (const name of ["eventType", "cursor"] as const) {
    const value = view[name];
    if (value === undefined) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  window.history.pushState(null, "", address);
}

/** The API path of the list that a view shows. */
export function failedTasksPath(view: TaskListView): string {
  return `/api/v1/tasks?status=failed${queryOf(view).replace(/^(?=.)/, "&")}`;
}

function queryOf({ eventType, cursor }: TaskListView): string {
  const params = new URLSearchParams();
  if (eventType !== undefined) params.set("eventType", eventType);
  if (cursor !== undefined) params.set("cursor", cursor);
  return params.toString();
}
