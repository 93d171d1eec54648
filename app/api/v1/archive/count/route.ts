import { archiveFilterQuery } from "../../../../_server/archive-input.ts";
import { countArchive } from "../../../../_server/browse-archive.ts";
import { parseInput, readQuery } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ request, asker }) =>
  countArchive(asker, parseInput(archiveFilterQuery, readQuery(request))),
);
