import { summariseArchive } from "../../../../_server/archive-summary.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("tasks.read", ({ asker }) => summariseArchive(asker));
