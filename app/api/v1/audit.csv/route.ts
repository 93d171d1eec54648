import { auditFilterQuery } from "../../../_server/audit-input.ts";
import { exportAudit } from "../../../_server/list-audit.ts";
import { parseInput, readQuery } from "../../../_server/read-input.ts";
import { apiRoute } from "../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("audit.read", async ({ request, asker }) =>
  exportAudit(asker, parseInput(auditFilterQuery, readQuery(request))),
);
