import { exportTasks } from "../../../_server/export-tasks.ts";
import { parseInput, readQuery } from "../../../_server/read-input.ts";
import { apiRoute } from "../../../_server/route.ts";
import { filterOf } from "../../../_server/task-filter.ts";
import { taskExportQuery } from "../../../_server/task-list-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("lists.export", async ({ request, asker }) => {
  const { sort, ...query } = parseInput(taskExportQuery, readQuery(request));
  return exportTasks(asker, { filter: filterOf(query), sort });
});
