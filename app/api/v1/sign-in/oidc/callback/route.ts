import { finishOidc } from "../../../../../_server/oidc-flow.ts";
import { openRoute } from "../../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = openRoute(({ request, requestId }) => finishOidc(request, requestId));
