import "server-only";
import * as z from "zod";
import { readAuditDetail } from "../../db/queries/list-object-audit.ts";
import { undoReset as writeUndo, type UndoVerdict } from "../../db/queries/undo-reset.ts";
import type { TaskStatus } from "../../db/schema/task-status.ts";
import { actOnTask } from "./act-on-task.ts";
import type { Asker } from "./asker.ts";

const instant = z.iso.datetime().transform((text) => new Date(text));

/** What the audit entry of a reset keeps; see `resetTask`. */
const resetDetail = z.object({
  before: z.object({
    status: z.number(),
    claimNo: z.number(),
    retryCount: z.number(),
    recycleCount: z.number(),
    finishReason: z.string().optional(),
    owner: z.string().optional(),
    ip: z.string().optional(),
    nextRetryAt: instant,
    startedAt: instant.optional(),
    finishedAt: instant.optional(),
    resetAt: instant,
  }),
});

/**
 * Takes back the reset that answered this token: what is restored comes from its audit entry, never from the asker.
 * @throws ConsoleError as `actOnTask`: undo_too_late once a worker or a person has touched the task since.
 */
export async function undoReset(
  asker: Asker,
  id: string,
  undoToken: string,
): Promise<{ readonly id: string; readonly taskStatus: TaskStatus }> {
  await actOnTask<UndoVerdict | { readonly outcome: "unknown_reset" }>(asker, {
    id,
    action: "task.undo_reset",
    correlation: undoToken,
    problems: { too_late: "undo_too_late", unknown_reset: "undo_too_late" },
    act: async (session) => {
      const stored = await readAuditDetail(session, {
        correlation: undoToken,
        action: "task.reset",
        objectKind: "task",
        objectId: id,
      });
      const detail = resetDetail.safeParse(stored);
      if (!detail.success) return { outcome: "unknown_reset" };
      return writeUndo(session, { id, actor: asker.actor, trace: { ...UNSET, ...detail.data.before } });
    },
  });
  return { id, taskStatus: "failed" };
}

const UNSET = { finishReason: undefined, owner: undefined, ip: undefined, startedAt: undefined, finishedAt: undefined };
