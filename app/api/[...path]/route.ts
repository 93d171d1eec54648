import { ConsoleError } from "../../_server/console-error.ts";
import { openRoute } from "../../_server/route.ts";

export const dynamic = "force-dynamic";

/** An address below /api that is none of the API is told so like every other problem, not with a page. */
const nowhere = openRoute(() => Promise.reject(new ConsoleError("route_not_found", "there is no such address")));

export const GET = nowhere;
export const POST = nowhere;
export const PUT = nowhere;
export const PATCH = nowhere;
export const DELETE = nowhere;
