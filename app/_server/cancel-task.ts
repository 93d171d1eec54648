import "server-only";
import type * as z from "zod";
import { cancelTask as writeCancel } from "../../db/queries/cancel-task.ts";
import type { TaskStatus } from "../../db/schema/task-status.ts";
import { actOnTask } from "./act-on-task.ts";
import type { Asker } from "./asker.ts";
import { seenTask } from "./seen-task.ts";
import type { cancelInput } from "./task-action-input.ts";

/** Ends a task that waits or failed for good, unrun. @throws ConsoleError as `actOnTask`: task_not_waiting, task_changed. */
export async function cancelTask(
  asker: Asker,
  id: string,
  { reason, seen }: z.output<typeof cancelInput>,
): Promise<{ readonly id: string; readonly taskStatus: TaskStatus }> {
  await actOnTask(asker, {
    id,
    action: "task.cancel",
    reason,
    problems: { not_waiting: "task_not_waiting", changed: "task_changed" },
    act: (session) => writeCancel(session, { id, reason, actor: asker.actor, seen: seenTask(seen) }),
  });
  return { id, taskStatus: "cancelled" };
}
