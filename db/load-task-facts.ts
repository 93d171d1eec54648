import { effectiveSettings, parseStoredSettings } from "./event-type-settings.ts";
import type { ArchivedSummary } from "./queries/archived-summary.ts";
import { listEventTypes } from "./queries/event-types.ts";
import { listArchiveById } from "./queries/list-archive.ts";
import { describeTask } from "./queries/show-task.ts";
import { listWorkers } from "./queries/workers.ts";
import type { Session } from "./session.ts";
import type { ArchivedFacts, TaskFacts } from "./explain-task.ts";

/** Rows of the registry that are looked at; owners that are gone are removed from it after a while. */
const WORKERS_MAX = 5_000;

/** Reads what `explainTask` needs about one task, in a few small statements. */
export async function loadTaskFacts(
  session: Session,
  id: string,
  tuning: { readonly recycleIntervalMs: number; readonly foreignAfterMs: number },
): Promise<TaskFacts> {
  const task = await describeTask(session, id);
  const [archived] = task ? [] : await listArchiveById(session, id);
  const types = task ? await listEventTypes(session) : [];
  const workers = task ? await listWorkers(session, WORKERS_MAX) : [];
  const type = types.find((row) => row.eventType === task?.eventType);
  const settings = effectiveSettings(
    parseStoredSettings(type?.codeSettings) ?? {},
    parseStoredSettings(type?.overrideSettings) ?? {},
  );
  return {
    id,
    task,
    archived: archived && archivedFacts(archived),
    isPaused: type?.paused ?? false,
    pausedReason: type?.pausedReason,
    pollIntervalMs: settings.pollIntervalMs,
    workers: workers.map((worker) => ({ ...worker, isDraining: worker.state !== "running" })),
    recycleIntervalMs: tuning.recycleIntervalMs,
    foreignAfterMs: tuning.foreignAfterMs,
  };
}

function archivedFacts({ eventType, status, statusCode, finishedAt, archivedAt }: ArchivedSummary): ArchivedFacts {
  return { eventType, status, statusCode, finishedAt, archivedAt };
}
