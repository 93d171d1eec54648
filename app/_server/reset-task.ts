import "server-only";
import { resetTask as writeReset } from "../../db/queries/reset-task.ts";
import { statusFromCode, type TaskStatus } from "../../db/schema/task-status.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";

/** Until there is a sign-in, the history names the console as the one who acted. */
const ACTOR = "console";

export interface ResetAnswer {
  readonly id: string;
  readonly taskStatus: TaskStatus;
}

/**
 * A person's new start of one failed task.
 * @throws ConsoleError task_not_found, or task_not_failed with the status that was seen; nothing is changed then.
 */
export async function resetTask(params: {
  readonly id: string;
  readonly reason: string | undefined;
}): Promise<ResetAnswer> {
  const { id, reason } = params;
  const verdict = await consoleDatabase().retryingTransaction((session) =>
    writeReset(session, { id, reason, actor: ACTOR }),
  );
  switch (verdict.outcome) {
    case "done":
      return { id, taskStatus: "pending" };
    case "not_found":
      throw new ConsoleError("task_not_found", `task ${id} not found`);
    case "not_failed": {
      const taskStatus = statusFromCode(verdict.status);
      throw new ConsoleError(
        "task_not_failed",
        `task ${id} is no longer failed: it is ${taskStatus ?? verdict.status}`,
        {
          details: { taskStatus },
        },
      );
    }
  }
}
