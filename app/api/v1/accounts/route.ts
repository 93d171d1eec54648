import { newAccountInput } from "../../../_server/account-input.ts";
import { createAccount, listAccounts } from "../../../_server/accounts.ts";
import { parseInput, readJson } from "../../../_server/read-input.ts";
import { apiRoute } from "../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("accounts.manage", ({ asker }) => listAccounts(asker));

export const POST = apiRoute(
  "accounts.manage",
  async ({ request, asker }) => {
    const { name, role, scopes } = parseInput(newAccountInput, await readJson(request));
    return createAccount(asker, { name, role, scopes: scopes ?? undefined });
  },
  { confirmed: true },
);
