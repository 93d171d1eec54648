import { listEventTypes } from "../../../_server/list-event-types.ts";
import { apiRoute } from "../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ asker }) => listEventTypes(asker));
