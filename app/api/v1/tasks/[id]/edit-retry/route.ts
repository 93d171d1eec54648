import { editTask } from "../../../../../_server/edit-task.ts";
import { parseInput, readJson } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";
import { EDIT_BODY_BYTES_MAX, editInput } from "../../../../../_server/task-action-input.ts";
import { taskId } from "../../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute<{ id: string }>("tasks.edit", async ({ request, asker, params }) => {
  const id = parseInput(taskId, params.id);
  return editTask(asker, id, parseInput(editInput, await readJson(request, EDIT_BODY_BYTES_MAX)));
});
