import { createReplayInput, REPLAY_ORDER_BYTES_MAX } from "../../../../_server/bulk-replay-input.ts";
import { createReplay } from "../../../../_server/create-replay.ts";
import { parseInput, readJson } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute("archive.replay", async ({ request, asker }) =>
  createReplay(asker, parseInput(createReplayInput, await readJson(request, REPLAY_ORDER_BYTES_MAX))),
);
