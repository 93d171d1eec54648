import { emptyQuery } from "../../../../_server/dashboard/dashboard-input.ts";
import { readRecentActions } from "../../../../_server/dashboard/read-actions.ts";
import { parseInput, readQuery } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ request, asker }) => {
  parseInput(emptyQuery, readQuery(request));
  return readRecentActions(asker);
});
