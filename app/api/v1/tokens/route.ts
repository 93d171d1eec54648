import { createToken, listTokens } from "../../../_server/manage-tokens.ts";
import { parseInput, readJson } from "../../../_server/read-input.ts";
import { apiRoute } from "../../../_server/route.ts";
import { newTokenInput } from "../../../_server/token-schema.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("accounts.manage", ({ asker }) => listTokens(asker));

export const POST = apiRoute(
  "accounts.manage",
  async ({ request, asker }) => createToken(asker, parseInput(newTokenInput, await readJson(request))),
  { confirmed: true },
);
