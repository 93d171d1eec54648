import { sql } from "drizzle-orm";
import { attemptArchive } from "../schema/attempt-archive.ts";
import { task } from "../schema/task.ts";
import { taskArchive } from "../schema/task-archive.ts";
import { idLiteral, type Session } from "../session.ts";
import {
  type AttemptEntry,
  attemptEntry,
  detailColumns,
  type DetailRow,
  entryColumns,
  listAttempts,
  taskDetail,
  type TaskDetail,
} from "./show-task.ts";

/** An archived task as its live row ended. `dueInMs` says nothing any more. */
export interface ArchivedTaskDetail extends TaskDetail {
  readonly archivedAt: Date;
}

/**
 * One archived task with everything that is stored of it, or undefined; by primary key. Without `archivedAt` the newest
 * of this id: there are several only if the server handed an id out again.
 */
export async function showArchivedTask(
  session: Session,
  id: string,
  archivedAt?: Date,
): Promise<ArchivedTaskDetail | undefined> {
  const at = archivedAt === undefined ? sql`` : sql`AND archived_time = ${session.zone.format(archivedAt)}`;
  const rows = await session.rows<DetailRow>(
    sql`SELECT ${detailColumns(session)}, CAST(archived_time AS CHAR) AS archived_at FROM ${taskArchive} FORCE INDEX (PRIMARY)
      WHERE id = ${idLiteral(id)} ${at} ORDER BY ${taskArchive.id} DESC, ${taskArchive.archivedTime} DESC LIMIT 1`,
  );
  const row = rows[0];
  return row && { ...taskDetail(session, row), archivedAt: session.zone.parseInstant(String(row.archived_at)) };
}

/**
 * The newest entries in the history of an archived task, newest first: those that moved with it, and those that were
 * entered later (a late result that was refused, a replay), which may still be in the live history.
 */
export async function listArchivedAttempts(
  session: Session,
  archived: { readonly id: string; readonly archivedAt: Date },
  limit = 200,
): Promise<AttemptEntry[]> {
  const { zone } = session;
  const id = idLiteral(archived.id);
  const [later] = await session.rows<{ at: string | null; live: number }>(
    sql`SELECT (SELECT MIN(archived_time) FROM ${taskArchive} FORCE INDEX (PRIMARY) WHERE id = ${id} AND archived_time > ${zone.format(archived.archivedAt)}) AS at,
      EXISTS (SELECT 1 FROM ${task} WHERE id = ${id}) AS live`,
  );
  // A later task of the same id, archived or live, has a history of its own.
  const until = later?.at ? sql`AND archived_time < ${later.at}` : sql``;
  const rows = await session.rows<DetailRow>(
    sql`SELECT ${entryColumns} FROM ${attemptArchive} FORCE INDEX (idx_task) WHERE task_id = ${id}
      AND archived_time >= ${zone.format(archived.archivedAt)} ${until} ORDER BY ${attemptArchive.id} DESC LIMIT ${sql.raw(String(Math.trunc(limit)))}`,
  );
  const isNewest = !later?.at && Number(later?.live ?? 0) === 0;
  const late = isNewest ? await listAttempts(session, archived.id, limit) : [];
  return [...late, ...rows.map((row) => attemptEntry(session, row))].slice(0, limit);
}
