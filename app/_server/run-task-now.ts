import "server-only";
import { runTaskNow as writeRunNow } from "../../db/queries/run-task-now.ts";
import type { TaskStatus } from "../../db/schema/task-status.ts";
import { actOnTask } from "./act-on-task.ts";
import type { Asker } from "./asker.ts";

/** Ends the wait of a pending task. @throws ConsoleError as `actOnTask`: task_not_pending, task_already_due. */
export async function runTaskNow(
  asker: Asker,
  id: string,
  reason: string | undefined,
): Promise<{ readonly id: string; readonly taskStatus: TaskStatus }> {
  await actOnTask(asker, {
    id,
    action: "task.run_now",
    reason,
    problems: { not_pending: "task_not_pending", already_due: "task_already_due" },
    act: (session) => writeRunNow(session, { id, reason, actor: asker.actor }),
  });
  return { id, taskStatus: "pending" };
}
