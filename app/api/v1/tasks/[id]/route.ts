import { parseInput } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";
import { showTask } from "../../../../_server/show-task.ts";
import { taskId } from "../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute<{ id: string }>("tasks.read", async ({ asker, params }) =>
  showTask(asker, parseInput(taskId, params.id)),
);
