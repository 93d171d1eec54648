import { sql } from "drizzle-orm";
import { STATUS_CODE, type TaskStatus } from "../schema/task-status.ts";
import { idLiteral, type Session } from "../session.ts";

export interface ArchivedRowValues {
  readonly id: string;
  /** Default: the session's now. */
  readonly archivedAt?: Date;
  readonly eventType?: string;
  readonly bizKey?: string;
  readonly bizContext?: string;
  readonly status?: TaskStatus;
  readonly retryCount?: number;
  readonly lastError?: string;
  readonly errorFingerprint?: string;
  readonly finishReason?: string;
  readonly parentId?: string;
}

/** Inserts a task into the archive; what is left out is that of a task of type TEST which succeeded at its first attempt. */
export async function insertArchivedRow(session: Session, row: ArchivedRowValues): Promise<void> {
  const at = row.archivedAt === undefined ? session.now : sql`${session.zone.format(row.archivedAt)}`;
  const parent = row.parentId === undefined ? sql`NULL` : idLiteral(row.parentId);
  await session.change(
    sql`INSERT INTO t_retry_task_archive (id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count,
      retry_strategy, first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count, last_error,
      error_fingerprint, finish_reason, parent_id, started_time, finished_time)
      VALUES (${idLiteral(row.id)}, ${at}, ${row.eventType ?? "TEST"}, ${row.bizKey ?? `key-${row.id}`}, ${row.bizContext ?? "{}"},
      ${STATUS_CODE[row.status ?? "succeeded"]}, ${row.retryCount ?? 0}, 3, 'FIXED', 10, ${at}, ${at}, ${at}, 1, 0, ${row.lastError ?? null},
      ${row.errorFingerprint ?? null}, ${row.finishReason ?? "success"}, ${parent}, ${at}, ${at})`,
  );
}
