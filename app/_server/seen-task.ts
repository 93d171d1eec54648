import type { SeenTask } from "../../db/queries/reset-task.ts";
import { STATUS_CODE, type TaskStatus } from "../../db/schema/task-status.ts";

/** What an asker saw, as the statements compare it. */
export function seenTask(
  seen: { readonly status: TaskStatus; readonly claimNo: number } | undefined,
): SeenTask | undefined {
  return seen && { status: STATUS_CODE[seen.status], claimNo: seen.claimNo };
}
