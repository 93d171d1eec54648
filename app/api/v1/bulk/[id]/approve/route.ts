import { approve } from "../../../../../_server/act-on-bulk.ts";
import { bulkId, bulkReasonInput } from "../../../../../_server/bulk-input.ts";
import { parseInput, readJson } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute<{ id: string }>(
  "bulk.approve",
  async ({ request, asker, params }) => {
    const id = parseInput(bulkId, params.id);
    const { reason } = parseInput(bulkReasonInput, await readJson(request));
    return approve(asker, { id, reason });
  },
  { confirmed: true },
);
