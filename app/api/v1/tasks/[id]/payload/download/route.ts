import { parseInput } from "../../../../../../_server/read-input.ts";
import { downloadPayload } from "../../../../../../_server/read-payload.ts";
import { apiRoute } from "../../../../../../_server/route.ts";
import { taskId } from "../../../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute<{ id: string }>("tasks.read", async ({ asker, params }) =>
  downloadPayload(asker, parseInput(taskId, params.id)),
);
