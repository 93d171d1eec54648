import { describeAsker } from "../../../_server/describe-asker.ts";
import { apiRoute } from "../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("self.manage", ({ asker }) => Promise.resolve(describeAsker(asker)));
