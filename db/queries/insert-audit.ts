import { sql } from "drizzle-orm";
import type { AuditAction } from "../schema/audit-actions.ts";
import { audit, type ActorKind, type AuditResult } from "../schema/audit.ts";
import type { Session } from "../session.ts";

/** One entry of the audit log. */
export interface NewAudit {
  readonly actor: string;
  readonly actorKind: ActorKind;
  readonly role?: string | undefined;
  readonly action: AuditAction;
  readonly objectKind: string;
  readonly objectId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly result: AuditResult;
  readonly reason?: string | undefined;
  readonly ip?: string | undefined;
  readonly requestId?: string | undefined;
  readonly correlation?: string | undefined;
  /** What was before and after, masked. */
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

/** Adds an entry to the audit log, in the transaction of the change it tells of. */
export async function insertAudit(session: Session, entry: NewAudit): Promise<void> {
  await session.change(
    sql`INSERT INTO ${audit} (create_time, actor, actor_kind, role, action, object_kind, object_id, event_type, result, reason,
      ip, request_id, correlation, detail) VALUES (${session.now}, ${cut(entry.actor, 64)}, ${entry.actorKind}, ${entry.role ?? null},
      ${entry.action}, ${entry.objectKind}, ${cut(entry.objectId, 191)}, ${cut(entry.eventType, 64)}, ${entry.result},
      ${cut(entry.reason, 512)}, ${cut(entry.ip, 64)}, ${entry.requestId ?? null}, ${cut(entry.correlation, 64)},
      ${entry.detail === undefined ? null : JSON.stringify(entry.detail)})`,
  );
}

/** Cut to its column by whole characters. */
function cut(text: string | undefined, length: number): string | null {
  return text === undefined ? null : [...text.slice(0, length * 2)].slice(0, length).join("");
}
