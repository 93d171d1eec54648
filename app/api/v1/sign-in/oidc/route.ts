import { oidcInput } from "../../../../_server/account-input.ts";
import { beginOidc } from "../../../../_server/oidc-flow.ts";
import { parseInput, readJson } from "../../../../_server/read-input.ts";
import { openRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const POST = openRoute(async ({ request, requestId }) =>
  beginOidc(request, requestId, parseInput(oidcInput, await readJson(request))),
);
