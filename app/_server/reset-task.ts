import "server-only";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { readTaskTypes } from "../../db/queries/find-task-id.ts";
import { resetTask as writeReset } from "../../db/queries/reset-task.ts";
import { statusFromCode, type TaskStatus } from "../../db/schema/task-status.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";

export interface ResetAnswer {
  readonly id: string;
  readonly taskStatus: TaskStatus;
}

/**
 * A person's new start of one failed task.
 * @throws ConsoleError task_not_found, or task_not_failed with the status that was seen; nothing is changed then.
 */
export async function resetTask(
  asker: Asker,
  params: { readonly id: string; readonly reason: string | undefined },
): Promise<ResetAnswer> {
  const { id, reason } = params;
  const verdict = await consoleDatabase().retryingTransaction(async (session) => {
    const eventType = (await readTaskTypes(session, [id])).get(id);
    if (eventType !== undefined) asker.mustSee(eventType);
    const written = await writeReset(session, { id, reason, actor: asker.actor });
    const result = written.outcome === "done" ? "ok" : "failed";
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "task.reset",
      objectKind: "task",
      objectId: id,
      eventType,
      result,
      reason,
    });
    return written;
  });
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
