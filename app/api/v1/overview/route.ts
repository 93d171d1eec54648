import { countTasks } from "../../../_server/count-tasks.ts";
import { apiRoute } from "../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", ({ asker }) => countTasks(asker));
