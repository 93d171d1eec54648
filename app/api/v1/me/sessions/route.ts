import { endSessions, listAccountSessions } from "../../../../_server/account-sessions.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("self.manage", ({ asker }) => listAccountSessions(asker, "own"));

/** Signs all other browsers out. */
export const DELETE = apiRoute("self.manage", ({ asker }) => endSessions(asker, "own"));
