import { revokeToken } from "../../../../../_server/manage-tokens.ts";
import { parseInput, readJson } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";
import { revokeTokenInput, tokenId } from "../../../../../_server/token-schema.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute<{ id: string }>("accounts.manage", async ({ request, asker, params }) => {
  const id = parseInput(tokenId, params.id);
  parseInput(revokeTokenInput, await readJson(request));
  return revokeToken(asker, id);
});
