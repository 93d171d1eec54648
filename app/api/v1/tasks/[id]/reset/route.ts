import { parseInput, readJson } from "../../../../../_server/read-input.ts";
import { resetTask } from "../../../../../_server/reset-task.ts";
import { apiRoute } from "../../../../../_server/route.ts";
import { resetInput } from "../../../../../_server/task-action-input.ts";
import { taskId } from "../../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute<{ id: string }>("tasks.act", async ({ request, asker, params }) => {
  const id = parseInput(taskId, params.id);
  return resetTask(asker, id, parseInput(resetInput, await readJson(request)));
});
