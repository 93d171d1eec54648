import { sql, type SQL } from "drizzle-orm";
import { audit, type ActorKind, type AuditResult } from "../schema/audit.ts";
import type { Session } from "../session.ts";

/** One entry of the audit log about an object, without its detail. */
export interface ObjectAuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly actorKind: ActorKind;
  readonly role: string | undefined;
  readonly action: string;
  readonly result: AuditResult;
  readonly reason: string | undefined;
}

/** The newest audit entries about one object, newest first, at most `limit`, through `idx_object`. */
export async function listObjectAudit(
  session: Session,
  object: { readonly kind: string; readonly id: string },
  limit: number,
): Promise<ObjectAuditEntry[]> {
  const rows = await session.rows<{
    id: string;
    create_time: string;
    actor: string;
    actor_kind: ActorKind;
    role: string | null;
    action: string;
    result: AuditResult;
    reason: string | null;
  }>(
    sql`SELECT CAST(id AS CHAR) AS id, create_time, actor, actor_kind, role, action, result, reason FROM ${audit} FORCE INDEX (idx_object)
      WHERE object_kind = ${object.kind} AND object_id = ${object.id} ORDER BY ${audit.id} DESC LIMIT ${count(limit)}`,
  );
  return rows.map((row) => ({
    id: row.id,
    at: session.zone.parseInstant(row.create_time),
    actor: row.actor,
    actorKind: row.actor_kind,
    role: row.role ?? undefined,
    action: row.action,
    result: row.result,
    reason: row.reason ?? undefined,
  }));
}

/** The detail of the newest successful entry of one action on one object under a correlation, through `idx_correlation`. */
export async function readAuditDetail(
  session: Session,
  entry: {
    readonly correlation: string;
    readonly action: string;
    readonly objectKind: string;
    readonly objectId: string;
  },
): Promise<unknown> {
  const [row] = await session.rows<{ detail: string | null }>(
    sql`SELECT detail FROM ${audit} FORCE INDEX (idx_correlation) WHERE correlation = ${entry.correlation} AND action = ${entry.action}
      AND object_kind = ${entry.objectKind} AND object_id = ${entry.objectId} AND result = 'ok' ORDER BY ${audit.id} DESC LIMIT 1`,
  );
  return row?.detail ? (JSON.parse(row.detail) as unknown) : undefined;
}

function count(limit: number): SQL {
  return sql.raw(String(Math.max(1, Math.min(500, Math.trunc(limit)))));
}
