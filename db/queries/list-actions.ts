import { sql } from "drizzle-orm";
import { audit } from "../schema/audit.ts";
import type { Session } from "../session.ts";

/** What people act on when they operate tasks; signing in and accounts are not among it. */
const OBJECT_KINDS = ["task", "bulk", "event_type", "archive", "worker"] as const;

/** Audit entries that one look reads at most, the newest first. */
const ENTRIES_MAX = 1_000;

/** Something a person or a machine did that changed how tasks run. */
export interface OperatorAction {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly objectKind: string;
  readonly objectId: string | undefined;
  readonly eventType: string | undefined;
  readonly reason: string | undefined;
}

/**
 * What was done to tasks, types, workers and the archive since an instant, newest first: of the newest 1,000 entries of
 * the audit log along `idx_time` those that succeeded, at most `limit`. No details, which may hold payloads.
 */
export async function listActions(
  session: Session,
  params: { readonly since: Date; readonly limit: number },
): Promise<OperatorAction[]> {
  const kinds = OBJECT_KINDS.map((kind) => sql`${kind}`);
  const rows = await session.rows<Record<string, string | null>>(
    sql`SELECT CAST(id AS CHAR) AS id, create_time, actor, action, object_kind, object_id, event_type, reason
      FROM (SELECT id, create_time, actor, action, object_kind, object_id, event_type, reason, result
        FROM ${audit} FORCE INDEX (idx_time) WHERE create_time >= ${session.zone.format(params.since)}
        ORDER BY create_time DESC, id DESC LIMIT ${sql.raw(String(ENTRIES_MAX))}) AS recent
      WHERE result = 'ok' AND object_kind IN (${sql.join(kinds, sql`, `)})
      ORDER BY create_time DESC, recent.id DESC LIMIT ${sql.raw(String(Math.trunc(params.limit)))}`,
  );
  return rows.map((row) => ({
    id: String(row["id"]),
    at: session.zone.parseInstant(String(row["create_time"])),
    actor: String(row["actor"]),
    action: String(row["action"]),
    objectKind: String(row["object_kind"]),
    objectId: row["object_id"] ?? undefined,
    eventType: row["event_type"] ?? undefined,
    reason: row["reason"] ?? undefined,
  }));
}
