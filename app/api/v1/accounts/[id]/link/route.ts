import { accountId } from "../../../../../_server/account-input.ts";
import { makeLink } from "../../../../../_server/accounts.ts";
import { parseInput } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute<{ id: string }>(
  "accounts.manage",
  ({ asker, params }) => makeLink(asker, parseInput(accountId, params.id)),
  { confirmed: true },
);
