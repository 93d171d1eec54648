import { seriesQuery } from "../../../../_server/dashboard/dashboard-input.ts";
import { readSeries } from "../../../../_server/dashboard/read-series.ts";
import { parseInput, readQuery } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ request, asker }) => {
  const { range } = parseInput(seriesQuery, readQuery(request));
  return readSeries(asker, range);
});
