import { sql } from "drizzle-orm";
import { statusFromCode, type TaskStatus } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { taskArchive } from "../schema/task-archive.ts";
import { idList, type Session } from "../session.ts";

/** Where a task is at this moment, as far as a link to it needs to know. */
export interface TaskPlace {
  readonly id: string;
  readonly eventType: string;
  readonly status: TaskStatus | undefined;
  /** Undefined: it is live. */
  readonly archivedAt: Date | undefined;
}

const IDS_MAX = 100;

/**
 * Where each of these tasks is, by primary key, at most 100: live, else as the archive holds it, the newest first if the
 * server handed an id out again. An id that nobody knows is missing.
 */
export async function findTaskPlaces(session: Session, ids: readonly string[]): Promise<TaskPlace[]> {
  if (ids.length === 0) return [];
  const list = idList([...new Set(ids)].slice(0, IDS_MAX));
  const live = await session.rows<{ id: string; event_type: string; status: number }>(
    sql`SELECT CAST(id AS CHAR) AS id, event_type, status FROM ${task} FORCE INDEX (PRIMARY) WHERE id IN (${list})`,
  );
  const archived = await session.rows<{ id: string; event_type: string; status: number; at: string }>(
    sql`SELECT CAST(id AS CHAR) AS id, event_type, status, CAST(archived_time AS CHAR) AS at
      FROM ${taskArchive} FORCE INDEX (PRIMARY) WHERE id IN (${list})`,
  );
  const places = [
    ...live.map((row) => ({ ...row, at: undefined })),
    ...archived.sort((one, other) => (one.at < other.at ? 1 : -1)),
  ].map((row) => ({
    id: row.id,
    eventType: row.event_type,
    status: statusFromCode(Number(row.status)),
    archivedAt: row.at === undefined ? undefined : session.zone.parseInstant(row.at),
  }));
  return places.filter((place, index) => places.findIndex(({ id }) => id === place.id) === index);
}
