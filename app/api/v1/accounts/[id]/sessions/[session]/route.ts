import { accountId, sessionName } from "../../../../../../_server/account-input.ts";
import { endSession } from "../../../../../../_server/account-sessions.ts";
import { parseInput } from "../../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const DELETE = apiRoute<{ id: string; session: string }>("accounts.manage", ({ asker, params }) =>
  endSession(asker, { accountId: parseInput(accountId, params.id) }, parseInput(sessionName, params.session)),
);
