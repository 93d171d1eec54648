import "server-only";
import type * as z from "zod";
import { findTaskIds } from "../../db/queries/find-task-id.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { replayTask as writeReplay } from "../../db/queries/replay-task.ts";
import type { ArchivedTaskDetail } from "../../db/queries/show-archived-task.ts";
import type { TaskStatus } from "../../db/schema/task-status.ts";
import type { Session } from "../../db/session.ts";
import { REPLAY_EDIT_BYTES_MAX, type replayInput } from "./archive-input.ts";
import { type ArchivedTaskId, loadArchived, readDeletedAfter } from "./archived-task.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { maskPayload, unmaskEdit } from "./mask-payload.ts";

export interface ReplayCheck {
  readonly id: string;
  readonly archivedAt: string;
  readonly taskStatus: TaskStatus | undefined;
  /** A live task of the same type and key: while it is there, a replay is refused. */
  readonly twin: { readonly id: string; readonly taskStatus: TaskStatus | undefined } | undefined;
  /** It succeeded: a replay needs `confirmSucceeded`. */
  readonly wasSuccessful: boolean;
  /** From when on the retention of its type lets it be deleted; left out: it is kept without limit. */
  readonly deletedAfter: string | undefined;
}

/** What stands against a replay at this moment; nothing is changed. @throws ConsoleError archived_not_found, out_of_scope */
export async function checkReplay(asker: Asker, which: ArchivedTaskId): Promise<ReplayCheck> {
  return consoleDatabase().use(async (session) => {
    const task = await loadArchived(session, asker, which);
    const [twin] = await findTaskIds(session, [task]);
    return {
      id: task.id,
      archivedAt: task.archivedAt.toISOString(),
      taskStatus: task.status,
      twin: twin && { id: twin.id, taskStatus: twin.status },
      wasSuccessful: task.status === "succeeded",
      deletedAfter: (await readDeletedAfter(session, task))?.toISOString(),
    };
  });
}

export interface ReplayAnswer {
  /** The new task. */
  readonly id: string;
  readonly taskStatus: TaskStatus;
  readonly replayOf: string;
}

/**
 * A person's new task made from an archived one, with its payload or an edited one. Refused while a live task has the
 * same type and key. The audit keeps both payloads, masked.
 * @throws ConsoleError archived_not_found, out_of_scope, task_succeeded (not confirmed), live_twin with its id and state,
 * payload_not_json, payload_mask_moved, payload_too_large; nothing is changed then.
 */
export async function replayTask(asker: Asker, id: string, input: z.output<typeof replayInput>): Promise<ReplayAnswer> {
  if (input.payload !== undefined) asker.mustMay("tasks.edit");
  const { reason } = input;
  const verdict = await consoleDatabase().retryingTransaction(async (session) => {
    const task = await loadArchived(session, asker, { id, archivedAt: input.archivedAt });
    if (task.status === "succeeded" && input.confirmSucceeded !== true) {
      throw new ConsoleError("task_succeeded", `task ${id} succeeded: a replay of it must be confirmed`, {
        details: { taskStatus: task.status },
      });
    }
    const edit = input.payload === undefined ? undefined : await editOf(session, task, input.payload);
    const { archivedAt } = task;
    const written = await writeReplay(session, {
      id,
      archivedAt,
      reason,
      actor: asker.actor,
      bizContext: edit?.bizContext,
    });
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "task.replay",
      objectKind: "archived_task",
      objectId: id,
      eventType: task.eventType,
      result: written.outcome === "done" ? "ok" : "failed",
      reason,
      detail: {
        archivedAt,
        ...(task.status === undefined ? {} : { was: task.status }),
        replay: written,
        payload: edit?.shown,
      },
    });
    return written;
  });
  switch (verdict.outcome) {
    case "done":
      return { id: verdict.id, taskStatus: "pending", replayOf: id };
    case "live_twin":
      throw new ConsoleError("live_twin", `task ${verdict.id} is live, with the same type and key as task ${id}`, {
        details: { twinId: verdict.id, taskStatus: verdict.status },
      });
    case "not_found":
      throw new ConsoleError("archived_not_found", `task ${id} is not in the archive`);
  }
}

async function editOf(session: Session, { id, eventType, bizContext: stored }: ArchivedTaskDetail, edited: string) {
  if (Buffer.byteLength(edited, "utf8") > REPLAY_EDIT_BYTES_MAX) {
    throw new ConsoleError(
      "payload_too_large",
      `the payload of task ${id} is larger than ${REPLAY_EDIT_BYTES_MAX} bytes`,
    );
  }
  const restored = await unmaskEdit(session, { eventType, stored, edited });
  switch (restored.outcome) {
    case "not_json":
      throw new ConsoleError("payload_not_json", `the new payload of task ${id} is not JSON`);
    case "mask_moved":
      throw new ConsoleError("payload_mask_moved", `a masked value of task ${id} stands where none was`);
    case "done": {
      const before = (await maskPayload(session, eventType, stored)).text;
      const after = (await maskPayload(session, eventType, restored.text)).text;
      return { bizContext: restored.text, shown: { before, after } };
    }
  }
}
