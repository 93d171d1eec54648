import { createHash } from "node:crypto";
import * as z from "zod";
import type { AuditCursor, AuditFilter } from "../../db/queries/list-audit.ts";
import { AUDIT_RESULTS } from "../../db/schema/audit.ts";
import { ConsoleError } from "./console-error.ts";
import { instant } from "./instant-input.ts";
import { pageLimit } from "./list-input.ts";
import { taskId } from "./task-input.ts";

const filterFields = {
  actor: z.string().min(1).max(64).optional(),
  action: z
    .string()
    .max(48)
    .regex(/^[a-z_]+\.(\*|[a-z_]+)$/, "is not an action such as task.reset or task.*")
    .optional(),
  objectKind: z.string().min(1).max(32).optional(),
  objectId: z.string().min(1).max(191).optional(),
  eventType: z.string().min(1).max(64).optional(),
  result: z.enum(AUDIT_RESULTS).optional(),
  correlation: z.string().min(1).max(64).optional(),
  from: instant.optional(),
  to: instant.optional(),
};

const hasKindOfId = (query: { objectKind?: string | undefined; objectId?: string | undefined }) =>
  query.objectId === undefined || query.objectKind !== undefined;
const ID_NEEDS_KIND = { path: ["objectId"], message: "goes with objectKind" };

/** What `GET /api/v1/audit/count` and `/audit.csv` take. */
export const auditFilterQuery = z.strictObject(filterFields).refine(hasKindOfId, ID_NEEDS_KIND);

/** What `GET /api/v1/audit` takes. */
export const auditListQuery = z
  .strictObject({
    ...filterFields,
    limit: pageLimit,
    cursor: z.string().max(200).optional(),
  })
  .refine(hasKindOfId, ID_NEEDS_KIND);

export const auditEntryId = taskId;

/** The cursor as opaque text that goes with one filter only. */
export function encodeAuditCursor(cursor: AuditCursor, filter: AuditFilter): string {
  return Buffer.from(`${cursor.towards} ${cursor.id} ${filterHash(filter)}`).toString("base64url");
}

/** @throws ConsoleError invalid_input for a text that is no cursor, or one of another filter. */
export function decodeAuditCursor(text: string, filter: AuditFilter): AuditCursor {
  const [, towards, id, hash] =
    /^(older|newer) (0|[1-9][0-9]{0,18}) ([\w-]{16})$/.exec(Buffer.from(text, "base64url").toString("utf8")) ?? [];
  if (id === undefined || (towards !== "older" && towards !== "newer")) {
    throw new ConsoleError("invalid_input", "the cursor is not one of this list");
  }
  if (hash !== filterHash(filter)) throw new ConsoleError("invalid_input", "the cursor belongs to another filter");
  return { id, towards };
}

function filterHash({ within: _, ...filter }: AuditFilter): string {
  const named = Object.entries(filter).filter(([, value]) => value !== undefined);
  const text = JSON.stringify(named.sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
