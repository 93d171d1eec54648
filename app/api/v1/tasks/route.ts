import { listFailedTasks } from "../../../_server/list-failed-tasks.ts";
import { listTasks } from "../../../_server/list-tasks.ts";
import { parseInput, readQuery } from "../../../_server/read-input.ts";
import { apiRoute } from "../../../_server/route.ts";
import { filterOf } from "../../../_server/task-filter.ts";
import { taskListQuery } from "../../../_server/task-input.ts";
import { boundedTaskPageQuery } from "../../../_server/task-list-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ request, asker }) => {
  const words = readQuery(request);
  // The list of the overview: failed tasks alone, of one type or of all.
  if ("status" in words) return listFailedTasks(asker, parseInput(taskListQuery, words));
  const { sort, limit, cursor, at, payload, ...query } = parseInput(boundedTaskPageQuery, words);
  return listTasks(asker, {
    ...{ filter: filterOf(query), sort, limit, cursor, payload, signal: request.signal },
    at: at === undefined ? undefined : new Date(at),
  });
});
