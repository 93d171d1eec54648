import { archivedTaskQuery } from "../../../../../_server/archive-input.ts";
import { readArchivedPayload } from "../../../../../_server/archived-task.ts";
import { parseInput, readQuery } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";
import { taskId } from "../../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute<{ id: string }>("tasks.read", async ({ request, asker, params }) => {
  const id = parseInput(taskId, params.id);
  return readArchivedPayload(asker, { id, ...parseInput(archivedTaskQuery, readQuery(request)) });
});
