import { sql, type SQL } from "drizzle-orm";
import { statusFromCode, type TaskStatus } from "../schema/task-status.ts";
import type { Session } from "../session.ts";

/** A row of a list of archived tasks: no payload, the head of the error only. */
export interface ArchivedSummary {
  readonly id: string;
  readonly archivedAt: Date;
  readonly eventType: string;
  readonly bizKey: string;
  readonly status: TaskStatus | undefined;
  readonly statusCode: number;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
  readonly finishReason: string | undefined;
  readonly errorFingerprint: string | undefined;
  readonly errorHead: string | undefined;
  readonly parentId: string | undefined;
}

/** The columns that `archivedSummary` reads. */
export const summaryColumns: SQL = sql.raw(
  "CAST(id AS CHAR) AS id, CAST(archived_time AS CHAR) AS archived_at, event_type, biz_key, status, retry_count, max_retry_count, " +
    "recycle_count, create_time, finished_time, finish_reason, error_fingerprint, LEFT(last_error, 200) AS error_head, CAST(parent_id AS CHAR) AS parent_id",
);

/** One row of `summaryColumns`, as it comes. */
export interface SummaryRow {
  readonly id: string;
  readonly archived_at: string;
  readonly event_type: string;
  readonly biz_key: string;
  readonly status: number;
  readonly retry_count: number;
  readonly max_retry_count: number;
  readonly recycle_count: number;
  readonly create_time: string;
  readonly finished_time: string | null;
  readonly finish_reason: string | null;
  readonly error_fingerprint: string | null;
  readonly error_head: string | null;
  readonly parent_id: string | null;
}

export function archivedSummary({ zone }: Session, row: SummaryRow): ArchivedSummary {
  return {
    id: row.id,
    archivedAt: zone.parseInstant(row.archived_at),
    eventType: row.event_type,
    bizKey: row.biz_key,
    status: statusFromCode(Number(row.status)),
    statusCode: Number(row.status),
    retryCount: Number(row.retry_count),
    maxRetryCount: Number(row.max_retry_count),
    recycleCount: Number(row.recycle_count),
    createdAt: zone.parseInstant(row.create_time),
    finishedAt: row.finished_time === null ? undefined : zone.parseInstant(row.finished_time),
    finishReason: row.finish_reason ?? undefined,
    errorFingerprint: row.error_fingerprint ?? undefined,
    errorHead: row.error_head ?? undefined,
    parentId: row.parent_id ?? undefined,
  };
}
