import { accountChangeInput, accountId } from "../../../../_server/account-input.ts";
import { changeAccount } from "../../../../_server/accounts.ts";
import { parseInput, readJson } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const PATCH = apiRoute<{ id: string }>(
  "accounts.manage",
  async ({ request, asker, params }) => {
    const id = parseInput(accountId, params.id);
    return changeAccount(asker, id, parseInput(accountChangeInput, await readJson(request)));
  },
  { confirmed: true },
);
