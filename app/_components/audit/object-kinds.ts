import type messages from "../../_messages/en/index.ts";

type AuditText = keyof (typeof messages)["audit"];
export type ObjectKind = AuditText extends infer Key ? (Key extends `object_${infer Kind}` ? Kind : never) : never;

/** What the entries of the audit log are about. */
export const OBJECT_KINDS = [
  "task",
  "archived_task",
  "bulk",
  "event_type",
  "archive",
  "account",
  "session",
  "token",
  "saved_view",
  "list",
  "route",
] as const satisfies readonly ObjectKind[];

export function isKnownKind(kind: string): kind is ObjectKind {
  return OBJECT_KINDS.some((known) => known === kind);
}
