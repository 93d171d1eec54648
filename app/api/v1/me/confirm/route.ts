import { confirmInput } from "../../../../_server/account-input.ts";
import { confirmIdentity } from "../../../../_server/confirm-identity.ts";
import { parseInput, readJson } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute("self.manage", async ({ request, asker }) => {
  const { password } = parseInput(confirmInput, await readJson(request));
  return confirmIdentity(asker, password);
});
