import { parseInput, readJson, readQuery } from "../../../_server/read-input.ts";
import { apiRoute } from "../../../_server/route.ts";
import { savedViewInput, savedViewsQuery } from "../../../_server/saved-view-schema.ts";
import { listSavedViews, saveView } from "../../../_server/saved-views.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("self.manage", async ({ request, asker }) =>
  listSavedViews(asker, parseInput(savedViewsQuery, readQuery(request))),
);

export const POST = apiRoute("self.manage", async ({ request, asker }) =>
  saveView(asker, parseInput(savedViewInput, await readJson(request))),
);
