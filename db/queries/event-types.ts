import { sql } from "drizzle-orm";
import { eventType } from "../schema/event-type.ts";
import { task } from "../schema/task.ts";
import { isDuplicateKey } from "../mysql-errors.ts";
import type { Session } from "../session.ts";

export interface EventTypeRow {
  readonly eventType: string;
  /** JSON text of what the code declares; undefined if only the console knows the type. */
  readonly codeSettings: string | undefined;
  /** JSON text of what people changed; undefined if nothing. */
  readonly overrideSettings: string | undefined;
  readonly paused: boolean;
  readonly pausedReason: string | undefined;
  readonly revision: number;
}

/** Records what the code declares for a type; a changed declaration raises the revision. Overrides stay. */
export async function registerEventType(session: Session, name: string, codeSettings: string): Promise<void> {
  const { now } = session;
  const update = () =>
    session.change(
      sql`UPDATE ${eventType} SET revision = revision + 1, code_settings = ${codeSettings}, update_time = ${now}
        WHERE event_type = ${name} AND (code_settings IS NULL OR code_settings <> ${codeSettings})`,
    );
  const known = await session.rows<{ one: number }>(sql`SELECT 1 AS one FROM ${eventType} WHERE event_type = ${name}`);
  if (known.length > 0) {
    await update();
    return;
  }
  try {
    await session.change(
      sql`INSERT INTO ${eventType} (event_type, code_settings, create_time, update_time) VALUES (${name}, ${codeSettings}, ${now}, ${now})`,
    );
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await update();
  }
}

/** All registered types; a table of dozens of rows. */
export async function listEventTypes(session: Session): Promise<EventTypeRow[]> {
  const rows = await session.rows<{
    event_type: string;
    code_settings: string | null;
    override_settings: string | null;
    paused: number;
    paused_reason: string | null;
    revision: number;
  }>(
    sql`SELECT event_type, code_settings, override_settings, paused, paused_reason, revision FROM ${eventType} ORDER BY event_type`,
  );
  return rows.map((row) => ({
    eventType: row.event_type,
    codeSettings: row.code_settings ?? undefined,
    overrideSettings: row.override_settings ?? undefined,
    paused: row.paused === 1,
    pausedReason: row.paused_reason ?? undefined,
    revision: row.revision,
  }));
}

/** Stops (or lets go on) the start of a type's tasks on all workers; enqueueing goes on. Creates the row if it is new. */
export async function setPaused(
  session: Session,
  params: { readonly eventType: string; readonly paused: boolean; readonly reason?: string | undefined },
): Promise<void> {
  const { now } = session;
  const flag = params.paused ? 1 : 0;
  const update = () =>
    session.change(
      sql`UPDATE ${eventType} SET revision = revision + 1, paused = ${flag}, paused_reason = ${params.reason ?? null}, update_time = ${now}
        WHERE event_type = ${params.eventType}`,
    );
  if ((await update()).affectedRows > 0) return;
  try {
    await session.change(
      sql`INSERT INTO ${eventType} (event_type, paused, paused_reason, create_time, update_time)
        VALUES (${params.eventType}, ${flag}, ${params.reason ?? null}, ${now}, ${now})`,
    );
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await update();
  }
}

/** Replaces what people changed for a type (JSON text, or undefined for nothing); workers see it within seconds. */
export async function setOverrideSettings(
  session: Session,
  params: { readonly eventType: string; readonly overrideSettings: string | undefined },
): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${eventType} SET revision = revision + 1, override_settings = ${params.overrideSettings ?? null}, update_time = ${session.now}
      WHERE event_type = ${params.eventType}`,
  );
  return affectedRows;
}

/** Every type that has live tasks, registered or not: a loose scan that takes one index entry of `idx_claim` per type. */
export async function listTaskEventTypes(session: Session): Promise<string[]> {
  const rows = await session.rows<{ event_type: string }>(
    sql`SELECT DISTINCT event_type FROM ${task} FORCE INDEX (idx_claim)`,
  );
  return rows.map((row) => row.event_type);
}

/** The name of every type that is registered or has live tasks, sorted. */
export async function listKnownEventTypes(session: Session): Promise<string[]> {
  const registered = (await listEventTypes(session)).map((row) => row.eventType);
  return [...new Set([...registered, ...(await listTaskEventTypes(session))])].sort();
}
