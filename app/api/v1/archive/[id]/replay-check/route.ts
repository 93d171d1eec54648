import { archivedTaskQuery } from "../../../../../_server/archive-input.ts";
import { parseInput, readQuery } from "../../../../../_server/read-input.ts";
import { checkReplay } from "../../../../../_server/replay-task.ts";
import { apiRoute } from "../../../../../_server/route.ts";
import { taskId } from "../../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute<{ id: string }>("archive.replay", async ({ request, asker, params }) => {
  const id = parseInput(taskId, params.id);
  return checkReplay(asker, { id, ...parseInput(archivedTaskQuery, readQuery(request)) });
});
