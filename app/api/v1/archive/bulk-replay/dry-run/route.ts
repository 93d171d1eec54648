import { dryRunReplayInput, REPLAY_ORDER_BYTES_MAX } from "../../../../../_server/bulk-replay-input.ts";
import { dryRunReplay } from "../../../../../_server/dry-run-replay.ts";
import { parseInput, readJson } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute("archive.replay", async ({ request, asker }) =>
  dryRunReplay(asker, parseInput(dryRunReplayInput, await readJson(request, REPLAY_ORDER_BYTES_MAX))),
);
