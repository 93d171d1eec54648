import { sql } from "drizzle-orm";
import { type Session, idLiteral } from "../../db/session.ts";
import { STATUS_CODE, type TaskStatus } from "../../db/schema/task-status.ts";

export interface ArchivedTask {
  readonly id: string;
  readonly archivedAt: Date;
  readonly eventType?: string;
  readonly bizKey?: string;
  readonly bizContext?: string;
  readonly status?: TaskStatus;
  readonly lastError?: string;
  readonly parentId?: string;
}

/** Inserts a task into the archive as if it had been archived at that instant; the rest is a task that succeeded at once. */
export async function insertArchivedTask(session: Session, task: ArchivedTask): Promise<void> {
  const at = session.zone.format(task.archivedAt);
  const parent = task.parentId === undefined ? sql`NULL` : idLiteral(task.parentId);
  await session.change(
    sql`INSERT INTO t_retry_task_archive (id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count,
      retry_strategy, first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count, last_error, parent_id,
      started_time, finished_time)
      VALUES (${idLiteral(task.id)}, ${at}, ${task.eventType ?? "TEST"}, ${task.bizKey ?? `key-${task.id}`}, ${task.bizContext ?? "{}"},
      ${STATUS_CODE[task.status ?? "succeeded"]}, 0, 3, 'FIXED', 10, ${at}, ${at}, ${at}, 1, 0, ${task.lastError ?? null}, ${parent}, ${at}, NULL)`,
  );
}

/** Inserts an entry of an archived task's history. */
export async function insertArchivedAttempt(
  session: Session,
  entry: {
    readonly id: string;
    readonly taskId: string;
    readonly archivedAt: Date;
    readonly eventType?: string;
    readonly error?: string;
  },
): Promise<void> {
  const at = session.zone.format(entry.archivedAt);
  await session.change(
    sql`INSERT INTO t_retry_attempt_archive (id, archived_time, task_id, event_type, kind, retry_count, claim_no, error, duration_ms, create_time)
      VALUES (${idLiteral(entry.id)}, ${at}, ${idLiteral(entry.taskId)}, ${entry.eventType ?? "TEST"}, 'failure', 1, 1,
      ${entry.error ?? null}, 12, ${at})`,
  );
}
