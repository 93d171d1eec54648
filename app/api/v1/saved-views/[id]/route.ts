import { parseInput } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";
import { removeView } from "../../../../_server/saved-views.ts";
import { taskId as decimalId } from "../../../../_server/task-input.ts";

export const dynamic = "force-dynamic";

export const DELETE = apiRoute<{ id: string }>("self.manage", async ({ asker, params }) =>
  removeView(asker, parseInput(decimalId, params.id)),
);
