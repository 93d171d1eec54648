import { sessionName } from "../../../../../_server/account-input.ts";
import { endSession } from "../../../../../_server/account-sessions.ts";
import { parseInput } from "../../../../../_server/read-input.ts";
import { apiRoute } from "../../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const DELETE = apiRoute<{ session: string }>("self.manage", ({ asker, params }) =>
  endSession(asker, "own", parseInput(sessionName, params.session)),
);
