import "server-only";
import type * as z from "zod";
import { type ResetTrace, resetTask as writeReset } from "../../db/queries/reset-task.ts";
import { STATUS_CODE, type TaskStatus } from "../../db/schema/task-status.ts";
import { actOnTask } from "./act-on-task.ts";
import type { Asker } from "./asker.ts";
import { seenTask } from "./seen-task.ts";
import type { resetInput } from "./task-action-input.ts";

export interface ResetAnswer {
  readonly id: string;
  readonly taskStatus: TaskStatus;
  /** For undo-reset, while no worker has claimed the task; left out if there is no way back. */
  readonly undoToken: string | undefined;
}

/**
 * A person's new start of one failed task, now or later.
 * @throws ConsoleError as `actOnTask`: task_not_failed, or task_changed if it is not what the asker saw.
 */
export async function resetTask(asker: Asker, id: string, input: z.output<typeof resetInput>): Promise<ResetAnswer> {
  const { reason, delaySeconds, runAt } = input;
  const { trace } = await actOnTask(asker, {
    id,
    action: "task.reset",
    reason,
    correlation: asker.requestId,
    problems: { not_failed: "task_not_failed", changed: "task_changed" },
    act: (session) =>
      writeReset(session, {
        id,
        reason,
        actor: asker.actor,
        seen: seenTask(input.seen),
        due: runAt ? { at: runAt } : delaySeconds === undefined ? undefined : { delayMs: delaySeconds * 1_000 },
      }),
    detail: ({ trace }) => ({
      before: traceDetail(trace),
      after: { status: "pending", retryCount: 0, delaySeconds, runAt },
    }),
  });
  return {
    id,
    taskStatus: "pending",
    undoToken: trace.status === STATUS_CODE.failed ? asker.requestId : undefined,
  };
}

/** The trace as the audit keeps it; `readTrace` of undo-reset.ts reads it back. */
export function traceDetail(trace: ResetTrace): Readonly<Record<string, unknown>> {
  return { ...trace };
}
