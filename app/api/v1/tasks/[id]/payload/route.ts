import { parseInput } from "../../../../../_server/read-input.ts";
import { readPayload } from "../../../../../_server/read-payload.ts";
import { apiRoute } from "../../../../../_server/route.ts";
import { taskId } from "../../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute<{ id: string }>("tasks.read", async ({ asker, params }) =>
  readPayload(asker, parseInput(taskId, params.id)),
);
