import { dryRunInput } from "../../../../_server/bulk-input.ts";
import { dryRunBulk } from "../../../../_server/dry-run-bulk.ts";
import { parseInput, readJson } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute("bulk.act", async ({ request, asker }) =>
  dryRunBulk(asker, parseInput(dryRunInput, await readJson(request))),
);
