import { parseInput, readJson } from "../../../../../../_server/read-input.ts";
import { revealPayload } from "../../../../../../_server/read-payload.ts";
import { apiRoute } from "../../../../../../_server/route.ts";
import { revealInput } from "../../../../../../_server/task-action-input.ts";
import { taskId } from "../../../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute<{ id: string }>(
  "payload.reveal",
  async ({ request, asker, params }) => {
    const id = parseInput(taskId, params.id);
    const { reason } = parseInput(revealInput, await readJson(request));
    return revealPayload(asker, id, reason);
  },
  { confirmed: true },
);
