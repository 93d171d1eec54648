import { countNewerTasks } from "../../../../_server/list-tasks.ts";
import { parseInput, readQuery } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";
import { filterOf } from "../../../../_server/task-filter.ts";
import { newerQuery } from "../../../../_server/task-list-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ request, asker }) => {
  const { sort, cursor, ...query } = parseInput(newerQuery, readQuery(request));
  return countNewerTasks(asker, { filter: filterOf(query), sort, cursor });
});
