import { sql, type SQL } from "drizzle-orm";
import { crashPoint } from "../crash-points.ts";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idList, type Session } from "../session.ts";

/** A task in the hands of its claim holder. Every later write carries `id` and `claimNo`. */
export interface ClaimedTask {
  readonly id: string;
  readonly eventType: string;
  readonly bizKey: string;
  /** The stored payload text; `undefined` if it is longer than the claim reads at once: load it before the run. */
  readonly bizContext: string | undefined;
  readonly claimNo: number;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
  readonly retryStrategy: string;
  readonly firstRetryIntervalSeconds: number;
  readonly nextRetryTime: string;
  readonly traceParent: string | undefined;
  readonly parentId: string | undefined;
}

export interface Claimer {
  readonly owner: string;
  readonly ip: string;
}

/** Payloads up to this size come with the claim, so that 200 rows never hold more than some 13 MB. */
export const CLAIM_PAYLOAD_BYTES_MAX = 65_536;

/** Largest number of rows one statement touches; longer id lists tempt the optimizer into a full scan that locks all. */
export const BATCH_ROWS_MAX = 200;

/**
 * Claims up to `limit` due tasks of one type, oldest due first, inside the caller's short READ COMMITTED transaction.
 * Rows that another claimer holds are skipped, never waited for; served by `idx_claim` in order, so no row beyond the
 * limit is locked. `dueFrom` starts the scan past entries already seen, so that it does not walk unpurged ones again.
 */
export async function claimDueTasks(
  session: Session,
  claimer: Claimer,
  params: { readonly eventType: string; readonly limit: number; readonly dueFrom?: string | undefined },
): Promise<ClaimedTask[]> {
  const { dueFrom } = params;
  return claim(
    session,
    claimer,
    sql`FORCE INDEX (idx_claim) WHERE event_type = ${params.eventType} AND status = ${STATUS_CODE.pending}
      AND next_retry_time <= ${session.now} ${dueFrom === undefined ? sql`` : sql`AND next_retry_time >= ${dueFrom}`}
      ORDER BY ${task.nextRetryTime}, ${task.id} LIMIT ${limitLiteral(params.limit)}`,
  );
}

/** Claims those of the given tasks that are pending and due, by primary key; the rest is left alone. */
export async function claimTasksById(
  session: Session,
  claimer: Claimer,
  params: { readonly eventType: string; readonly ids: readonly string[] },
): Promise<ClaimedTask[]> {
  if (params.ids.length === 0) return [];
  return claim(
    session,
    claimer,
    sql`FORCE INDEX (PRIMARY) WHERE id IN (${idList(params.ids)}) AND event_type = ${params.eventType}
      AND status = ${STATUS_CODE.pending} AND next_retry_time <= ${session.now} ORDER BY ${task.id} LIMIT ${limitLiteral(params.ids.length)}`,
  );
}

async function claim(session: Session, claimer: Claimer, from: SQL): Promise<ClaimedTask[]> {
  const rows = await session.rows<ClaimRow>(sql`SELECT ${claimColumns} FROM ${task} ${from} FOR UPDATE SKIP LOCKED`);
  if (rows.length === 0) return [];
  crashPoint("claim.selected");
  const { now } = session;
  await session.change(
    sql`UPDATE ${task} FORCE INDEX (PRIMARY) SET status = ${STATUS_CODE.running}, owner = ${claimer.owner}, ip = ${claimer.ip},
      claim_no = claim_no + 1, started_time = ${now}, update_time = ${now} WHERE id IN (${idList(rows.map((row) => row.id))})`,
  );
  return rows.map((row) => claimedTask(row, row.claim_no + 1));
}

export const claimColumns = sql.raw(
  `CAST(id AS CHAR) AS id, event_type, biz_key, IF(OCTET_LENGTH(biz_context) <= ${CLAIM_PAYLOAD_BYTES_MAX}, biz_context, NULL) AS biz_context, ` +
    "claim_no, retry_count, max_retry_count, recycle_count, retry_strategy, first_retry_interval, " +
    "CAST(next_retry_time AS CHAR) AS next_retry_time, trace_parent, CAST(parent_id AS CHAR) AS parent_id",
);

export interface ClaimRow {
  readonly id: string;
  readonly event_type: string;
  readonly biz_key: string;
  readonly biz_context: string | null;
  readonly claim_no: number;
  readonly retry_count: number;
  readonly max_retry_count: number;
  readonly recycle_count: number;
  readonly retry_strategy: string;
  readonly first_retry_interval: number;
  readonly next_retry_time: string;
  readonly trace_parent: string | null;
  readonly parent_id: string | null;
}

export function claimedTask(row: ClaimRow, claimNo: number): ClaimedTask {
  return {
    id: row.id,
    eventType: row.event_type,
    bizKey: row.biz_key,
    bizContext: row.biz_context ?? undefined,
    claimNo,
    retryCount: row.retry_count,
    maxRetryCount: row.max_retry_count,
    recycleCount: row.recycle_count,
    retryStrategy: row.retry_strategy,
    firstRetryIntervalSeconds: row.first_retry_interval,
    nextRetryTime: row.next_retry_time,
    traceParent: row.trace_parent ?? undefined,
    parentId: row.parent_id ?? undefined,
  };
}

function limitLiteral(limit: number): SQL {
  return sql.raw(String(Math.max(1, Math.min(BATCH_ROWS_MAX, Math.trunc(limit)))));
}
