import type { Store } from "./fixtures.ts";

/** What a test wants an audit entry to hold; the rest is ordinary. */
export interface AuditValues {
  readonly at?: string;
  readonly actor?: string;
  readonly actorKind?: string;
  readonly role?: string;
  readonly action?: string;
  readonly objectKind?: string;
  readonly objectId?: string;
  readonly eventType?: string;
  readonly result?: string;
  readonly reason?: string;
  readonly correlation?: string;
  readonly detail?: object;
}

/** Writes an entry as the console would; `at` is the stored time of a console that stores UTC. */
export async function insertAuditRow(store: Store, values: AuditValues = {}): Promise<void> {
  const row = {
    create_time: values.at ?? "2026-05-01 04:00:00.000",
    actor: values.actor ?? "ada",
    actor_kind: values.actorKind ?? "person",
    role: values.role ?? "operator",
    action: values.action ?? "task.reset",
    object_kind: values.objectKind ?? "task",
    object_id: values.objectId ?? "1970670598291982290",
    event_type: values.eventType ?? "PAY_ORDER",
    result: values.result ?? "ok",
    reason: values.reason ?? "downstream is back",
    ip: "10.20.30.40",
    request_id: "7f1f0a52-55d5-4b39-8f8b-0a6a1c4b2d11",
    correlation: values.correlation ?? "c-1",
    detail: JSON.stringify(
      values.detail ?? { before: { status: "failed", retryCount: 8 }, after: { status: "pending", retryCount: 0 } },
    ),
  };
  const names = Object.keys(row);
  await store.run(
    `INSERT INTO t_retry_audit (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    Object.values(row),
  );
}
