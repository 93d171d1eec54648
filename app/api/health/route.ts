import { checkHealth } from "../../_server/check-health.ts";
import { apiRoute } from "../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("read", () => checkHealth());
