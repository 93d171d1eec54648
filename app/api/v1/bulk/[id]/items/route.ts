import { bulkId, bulkItemsQuery } from "../../../../../_server/bulk-input.ts";
import { listBulkItems } from "../../../../../_server/read-bulk.ts";
import { parseInput, readQuery } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute<{ id: string }>("tasks.read", async ({ request, asker, params }) => {
  const { limit, cursor, result } = parseInput(bulkItemsQuery, readQuery(request));
  return listBulkItems(asker, { id: parseInput(bulkId, params.id), result, cursor, limit });
});
