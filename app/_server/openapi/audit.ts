import { auditEntryId, auditFilterQuery, auditListQuery } from "../audit-input.ts";
import { auditCount, auditEntry, auditPage } from "../audit-schema.ts";
import type { Operation } from "./operation.ts";

export const auditOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/v1/audit",
    id: "listAudit",
    summary: "The audit log, newest first",
    permission: "audit.read",
    query: auditListQuery,
    answer: auditPage,
  },
  {
    method: "GET",
    path: "/api/v1/audit/count",
    id: "countAudit",
    summary: "How many entries a filter admits, counted to 10,000",
    permission: "audit.read",
    query: auditFilterQuery,
    answer: auditCount,
  },
  {
    method: "GET",
    path: "/api/v1/audit/{id}",
    id: "showAuditEntry",
    summary: "One entry with what was before and after",
    permission: "audit.read",
    params: { id: auditEntryId },
    answer: auditEntry,
    problems: ["audit_entry_not_found"],
  },
  {
    method: "GET",
    path: "/api/v1/audit.csv",
    id: "exportAudit",
    summary: "The entries of a filter as CSV, at most 100,000; one export at a time",
    permission: "audit.read",
    query: auditFilterQuery,
    answer: { mediaType: "text/csv" },
    problems: ["export_busy"],
  },
];
