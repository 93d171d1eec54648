import { accountId } from "../../../../../_server/account-input.ts";
import { endSessions, listAccountSessions } from "../../../../../_server/account-sessions.ts";
import { parseInput } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute<{ id: string }>("accounts.manage", ({ asker, params }) =>
  listAccountSessions(asker, { accountId: parseInput(accountId, params.id) }),
);

/** Signs all browsers of the account out, but for the one that asks. */
export const DELETE = apiRoute<{ id: string }>("accounts.manage", ({ asker, params }) =>
  endSessions(asker, { accountId: parseInput(accountId, params.id) }),
);
