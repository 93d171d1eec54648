import { setPace } from "../../../../../_server/act-on-bulk.ts";
import { bulkId, bulkPaceInput } from "../../../../../_server/bulk-input.ts";
import { parseInput, readJson } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute<{ id: string }>("bulk.act", async ({ request, asker, params }) => {
  const id = parseInput(bulkId, params.id);
  const { ratePerSecond } = parseInput(bulkPaceInput, await readJson(request));
  return setPace(asker, { id, ratePerSecond });
});
