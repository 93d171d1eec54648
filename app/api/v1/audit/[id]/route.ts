import { auditEntryId } from "../../../../_server/audit-input.ts";
import { showAuditEntry } from "../../../../_server/list-audit.ts";
import { parseInput } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute<{ id: string }>("audit.read", async ({ asker, params }) =>
  showAuditEntry(asker, parseInput(auditEntryId, params.id)),
);
