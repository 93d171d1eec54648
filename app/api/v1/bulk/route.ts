import { bulkListQuery, createBulkInput } from "../../../_server/bulk-input.ts";
import { createBulk } from "../../../_server/create-bulk.ts";
import { listBulks } from "../../../_server/read-bulk.ts";
import { parseInput, readJson, readQuery } from "../../../_server/read-input.ts";
import { apiRoute } from "../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ request, asker }) => {
  const { limit, cursor } = parseInput(bulkListQuery, readQuery(request));
  return listBulks(asker, { limit, cursor });
});

export const POST = apiRoute("bulk.act", async ({ request, asker }) =>
  createBulk(asker, parseInput(createBulkInput, await readJson(request))),
);
