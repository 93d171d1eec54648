import { listCauses } from "../../../_server/list-causes.ts";
import { apiRoute } from "../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", async ({ asker }) => listCauses(asker));
