import { listAttempts } from "../../../../../_server/list-attempts.ts";
import { parseInput, readQuery } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";
import { attemptsQuery } from "../../../../../_server/task-action-input.ts";
import { taskId } from "../../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute<{ id: string }>("tasks.read", async ({ request, asker, params }) => {
  const id = parseInput(taskId, params.id);
  return listAttempts(asker, id, parseInput(attemptsQuery, readQuery(request)));
});
