import { checkHealth } from "../../_server/check-health.ts";
import { openRoute } from "../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = openRoute(() => checkHealth());
