import { archiveListQuery } from "../../../_server/archive-input.ts";
import { browseArchive } from "../../../_server/browse-archive.ts";
import { parseInput, readQuery } from "../../../_server/read-input.ts";
import { apiRoute } from "../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ request, asker }) =>
  browseArchive(asker, parseInput(archiveListQuery, readQuery(request))),
);
