import { cancelTask } from "../../../../../_server/cancel-task.ts";
import { parseInput, readJson } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";
import { cancelInput } from "../../../../../_server/task-action-input.ts";
import { taskId } from "../../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute<{ id: string }>("tasks.act", async ({ request, asker, params }) => {
  const id = parseInput(taskId, params.id);
  return cancelTask(asker, id, parseInput(cancelInput, await readJson(request)));
});
