import { bulkId } from "../../../../_server/bulk-input.ts";
import { readBulk } from "../../../../_server/read-bulk.ts";
import { parseInput } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute<{ id: string }>("tasks.read", async ({ asker, params }) =>
  readBulk(asker, parseInput(bulkId, params.id)),
);
