import type { TaskItem, TaskProgressItem } from "../../_server/list-tasks.ts";
import type { ListState } from "./list-view.ts";

/** A row as it is shown: as the page brought it, with what a refresh has told since. */
export interface ShownTask extends TaskItem {
  /** It no longer belongs to the list, and stays in place until the next page is asked for. */
  readonly hasLeft: boolean;
  /** The table no longer holds it. */
  readonly isGone: boolean;
}

/** States as a badge names them. */
export type TaskLook = "pending" | "retrying" | "running" | "stuck" | "failed" | "succeeded" | "cancelled" | "gone";

export function lookOf(task: Pick<ShownTask, "status" | "isStuck" | "retryCount" | "isGone">): TaskLook {
  if (task.isGone || task.status === undefined) return "gone";
  if (task.status === "pending") return task.retryCount > 0 ? "retrying" : "pending";
  return task.isStuck ? "stuck" : task.status;
}

/** What a reset takes: failed for good, or stuck in the hands of nobody. */
export function isResettable({ status, isStuck, isGone }: Pick<ShownTask, "status" | "isStuck" | "isGone">): boolean {
  return !isGone && (status === "failed" || isStuck);
}

/** Rows with the newest that is known of them. */
export function shownTasks(
  items: readonly TaskItem[],
  progress: { readonly asked: readonly string[]; readonly rows: readonly TaskProgressItem[] } | undefined,
  state: ListState,
  now: number,
): ShownTask[] {
  const byId = new Map(progress?.rows.map((row) => [row.id, row]));
  const asked = new Set(progress?.asked);
  return items.map((item) => {
    const newer = byId.get(item.id);
    const task = newer ? { ...item, ...newer } : item;
    const isGone = asked.has(item.id) && !newer;
    return { ...task, isGone, hasLeft: isGone || !belongsTo(task, state, now) };
  });
}

function belongsTo(task: TaskItem, state: ListState, now: number): boolean {
  switch (state) {
    case "all":
      return true;
    case "due":
      return task.status === "pending" && Date.parse(task.nextRetryAt) <= now;
    case "scheduled":
      return task.status === "pending" && Date.parse(task.nextRetryAt) > now;
    case "retrying":
      return task.status === "pending" && task.retryCount > 0;
    case "stuck":
      return task.isStuck;
    case "running":
    case "failed":
    case "succeeded":
    case "cancelled":
      return task.status === state;
  }
}

/** What the time of a row means in its state, and the instant it counts from. */
export function timeOf(
  task: ShownTask,
  now: number,
): { readonly meaning: "dueIn" | "overdue" | "running" | "failed" | "succeeded" | "cancelled"; readonly at: string } {
  switch (task.status) {
    case "running":
      return { meaning: "running", at: task.startedAt ?? task.updatedAt };
    case "failed":
    case "succeeded":
    case "cancelled":
      return { meaning: task.status, at: task.finishedAt ?? task.updatedAt };
    case "pending":
    case undefined:
      return { meaning: Date.parse(task.nextRetryAt) > now ? "dueIn" : "overdue", at: task.nextRetryAt };
  }
}
