import { listFailedTasks } from "../../../_server/list-failed-tasks.ts";
import { parseInput, readQuery } from "../../../_server/read-input.ts";
import { apiRoute } from "../../../_server/route.ts";
import { taskListQuery } from "../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ request, asker }) => {
  const { eventType, limit, cursor } = parseInput(taskListQuery, readQuery(request));
  return listFailedTasks(asker, { eventType, limit, cursor });
});
