import { parseInput, readJson } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";
import { runTaskNow } from "../../../../../_server/run-task-now.ts";
import { runNowInput } from "../../../../../_server/task-action-input.ts";
import { taskId } from "../../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute<{ id: string }>("tasks.act", async ({ request, asker, params }) => {
  const id = parseInput(taskId, params.id);
  const { reason } = parseInput(runNowInput, await readJson(request));
  return runTaskNow(asker, id, reason);
});
