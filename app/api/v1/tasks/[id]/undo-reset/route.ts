import { parseInput, readJson } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";
import { undoResetInput } from "../../../../../_server/task-action-input.ts";
import { taskId } from "../../../../../_server/task-input.ts";
import { undoReset } from "../../../../../_server/undo-reset.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute<{ id: string }>("tasks.act", async ({ request, asker, params }) => {
  const id = parseInput(taskId, params.id);
  const { undoToken } = parseInput(undoResetInput, await readJson(request));
  return undoReset(asker, id, undoToken);
});
