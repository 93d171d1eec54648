import { REPLAY_BODY_BYTES_MAX, replayInput } from "../../../../../_server/archive-input.ts";
import { parseInput, readJson } from "../../../../../_server/read-input.ts";
import { replayTask } from "../../../../../_server/replay-task.ts";
import { apiRoute } from "../../../../../_server/route.ts";
import { taskId } from "../../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute<{ id: string }>("archive.replay", async ({ request, asker, params }) => {
  const id = parseInput(taskId, params.id);
  return replayTask(asker, id, parseInput(replayInput, await readJson(request, REPLAY_BODY_BYTES_MAX)));
});
