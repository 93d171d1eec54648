import "server-only";
import { listArchiveById } from "../../db/queries/list-archive.ts";
import type { Session } from "../../db/session.ts";
import type { Asker } from "./asker.ts";
import { ConsoleError } from "./console-error.ts";

/** Why a task is not live: it was archived (where and when is told to who may see its type), or nobody knows it. */
export async function absentTask(session: Session, asker: Asker, id: string): Promise<ConsoleError> {
  const [archived] = await listArchiveById(session, id);
  if (!archived) return new ConsoleError("task_not_found", `task ${id} not found`);
  asker.mustSee(archived.eventType);
  return new ConsoleError("task_archived", `task ${id} was moved to the archive`, {
    details: { taskStatus: archived.status, archivedAt: archived.archivedAt.toISOString() },
  });
}
