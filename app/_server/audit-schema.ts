import * as z from "zod";
import { ACTOR_KINDS, AUDIT_RESULTS } from "../../db/schema/audit.ts";

/** An entry of the audit log as a list shows it. */
export const auditItem = z
  .strictObject({
    id: z.string(),
    at: z.iso.datetime(),
    actor: z.string(),
    actorKind: z.string().meta({ description: `who that is: ${ACTOR_KINDS.join(", ")}` }),
    role: z.string().optional().meta({ description: "the role at that time" }),
    action: z.string().meta({ examples: ["task.reset"] }),
    objectKind: z.string(),
    objectId: z.string().optional(),
    eventType: z.string().optional(),
    result: z.string().meta({ description: `what came of it: ${AUDIT_RESULTS.join(", ")}` }),
    reason: z.string().optional(),
    ip: z.string().optional(),
    requestId: z.string().optional(),
    correlation: z.string().optional().meta({ description: "joins the entries of one action" }),
  })
  .meta({ id: "AuditItem" });

export const auditPage = z
  .strictObject({
    asOf: z.iso.datetime(),
    items: z.array(auditItem),
    nextCursor: z.string().optional().meta({ description: "to older entries" }),
    prevCursor: z.string().optional().meta({ description: "to newer entries" }),
    searchedEntries: z
      .number()
      .optional()
      .meta({ description: "the search ended after so many entries; nextCursor goes on from there" }),
  })
  .meta({ id: "AuditPage" });

export const auditCount = z
  .strictObject({
    count: z.number(),
    isCapped: z.boolean().meta({ description: "there are at least so many" }),
  })
  .meta({ id: "AuditCount" });

export const auditEntry = z
  .strictObject({
    asOf: z.iso.datetime(),
    entry: auditItem,
    detail: z
      .unknown()
      .optional()
      .meta({ description: "what was `before` and `after`, masked, and what else it tells" }),
    related: z.array(auditItem).meta({ description: "further entries of the same action, newest first, at most 50" }),
  })
  .meta({ id: "AuditEntry" });

export type AuditItem = z.infer<typeof auditItem>;
export type AuditPage = z.infer<typeof auditPage>;
export type AuditCount = z.infer<typeof auditCount>;
export type AuditEntryAnswer = z.infer<typeof auditEntry>;
