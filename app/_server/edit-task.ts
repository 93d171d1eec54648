import "server-only";
import type * as z from "zod";
import { editTask as writeEdit, payloadHash } from "../../db/queries/edit-task.ts";
import type { ResetVerdict } from "../../db/queries/reset-task.ts";
import { readTaskPayload } from "../../db/queries/show-task.ts";
import { STATUS_CODE, type TaskStatus } from "../../db/schema/task-status.ts";
import { actOnTask } from "./act-on-task.ts";
import type { Asker } from "./asker.ts";
import { ConsoleError } from "./console-error.ts";
import { redactJson, restoreMasked } from "./redact.ts";
import { readRedactPaths } from "./redact-paths.ts";
import { traceDetail } from "./reset-task.ts";
import { EDIT_BYTES_MAX, type editInput } from "./task-action-input.ts";

type Edited = ResetVerdict & { readonly before?: string | undefined; readonly after?: string | undefined };

/**
 * Gives a failed task a new payload and a new start, both or neither. Masks that the editor left in place keep the stored
 * values; JSON stays JSON. The audit keeps both payloads, masked.
 * @throws ConsoleError as `actOnTask`: task_not_failed, task_changed (the payload too), payload_not_json,
 * payload_mask_moved, payload_unchanged, payload_too_large.
 */
export async function editTask(
  asker: Asker,
  id: string,
  input: z.output<typeof editInput>,
): Promise<{ readonly id: string; readonly taskStatus: TaskStatus }> {
  const { reason, basedOn, seen } = input;
  await actOnTask<Edited>(asker, {
    id,
    action: "task.edit",
    reason,
    problems: { not_failed: "task_not_failed", changed: "task_changed" },
    act: async (session, eventType) => {
      const stored = await readTaskPayload(session, id, EDIT_BYTES_MAX);
      if (!stored) return { outcome: "not_found" };
      if (stored.text === undefined) throw tooLarge(id);
      const paths = await readRedactPaths(session, eventType);
      if (payloadHash(stored.text) !== basedOn) return { outcome: "changed", status: STATUS_CODE[seen.status] };
      const bizContext = newPayload(id, stored.text, input.payload, paths);
      const found = await writeEdit(session, {
        id,
        bizContext,
        basedOn,
        actor: asker.actor,
        reason,
        seen: { status: STATUS_CODE[seen.status], claimNo: seen.claimNo },
      });
      return { ...found, before: redactJson(stored.text, paths)?.text, after: redactJson(bizContext, paths)?.text };
    },
    detail: ({ trace, before, after }) => ({ reset: traceDetail(trace), payload: { before, after } }),
  });
  return { id, taskStatus: "pending" };
}

function newPayload(id: string, stored: string, edited: string, paths: readonly string[]): string {
  if (Buffer.byteLength(edited, "utf8") > EDIT_BYTES_MAX) throw tooLarge(id);
  const isJson = redactJson(stored) !== undefined;
  const restored = isJson ? restoreMasked(stored, edited, paths) : ({ outcome: "done", text: edited } as const);
  switch (restored.outcome) {
    case "not_json":
      throw new ConsoleError("payload_not_json", `the new payload of task ${id} is not JSON`);
    case "mask_moved":
      throw new ConsoleError("payload_mask_moved", `a masked value of task ${id} stands where none was`);
    case "done":
      if (restored.text === stored)
        throw new ConsoleError("payload_unchanged", `the payload of task ${id} is the same`);
      return restored.text;
  }
}

function tooLarge(id: string): ConsoleError {
  return new ConsoleError("payload_too_large", `the payload of task ${id} is larger than ${EDIT_BYTES_MAX} bytes`);
}
