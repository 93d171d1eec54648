import { auditListQuery } from "../../../_server/audit-input.ts";
import { listAudit } from "../../../_server/list-audit.ts";
import { parseInput, readQuery } from "../../../_server/read-input.ts";
import { apiRoute } from "../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("audit.read", async ({ request, asker }) =>
  listAudit(asker, parseInput(auditListQuery, readQuery(request))),
);
