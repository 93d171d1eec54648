import { countTaskStates } from "../../../../_server/count-task-states.ts";
import { parseInput, readQuery } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";
import { filterOf } from "../../../../_server/task-filter.ts";
import { taskCountsQuery } from "../../../../_server/task-list-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ request, asker }) => {
  const query = parseInput(taskCountsQuery, readQuery(request));
  return countTaskStates(asker, filterOf({ ...query, state: "all" }));
});
