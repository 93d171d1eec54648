import { bulkCsvQuery, bulkId } from "../../../../../_server/bulk-input.ts";
import { exportBulkItems } from "../../../../../_server/read-bulk.ts";
import { parseInput, readQuery } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute<{ id: string }>("lists.export", async ({ request, asker, params }) => {
  const { result } = parseInput(bulkCsvQuery, readQuery(request));
  return exportBulkItems(asker, { id: parseInput(bulkId, params.id), result });
});
