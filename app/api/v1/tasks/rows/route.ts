import { readTaskProgress } from "../../../../_server/list-tasks.ts";
import { parseInput, readQuery } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";
import { taskRowsQuery } from "../../../../_server/task-list-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ request, asker }) => {
  const { ids } = parseInput(taskRowsQuery, readQuery(request));
  return readTaskProgress(asker, ids);
});
