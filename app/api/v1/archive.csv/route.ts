import { archiveCsv } from "../../../_server/archive-csv.ts";
import { archiveFilterQuery } from "../../../_server/archive-input.ts";
import { parseInput, readQuery } from "../../../_server/read-input.ts";
import { apiRoute } from "../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("lists.export", async ({ request, asker }) =>
  archiveCsv(asker, parseInput(archiveFilterQuery, readQuery(request))),
);
