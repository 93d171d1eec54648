import { sql } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idList, idLiteral, type Session } from "../session.ts";
import { claimColumns, claimedTask, type ClaimedTask, type ClaimRow } from "./claim-tasks.ts";
import { laterBy } from "./insert-tasks.ts";

/** Of the given ids, the committed rows that are running under this owner: what an after-commit hook may run. */
export async function readOwnedTasks(
  session: Session,
  params: { readonly owner: string; readonly ids: readonly string[] },
): Promise<ClaimedTask[]> {
  if (params.ids.length === 0) return [];
  const rows = await session.rows<ClaimRow>(
    sql`SELECT ${claimColumns} FROM ${task} FORCE INDEX (PRIMARY)
      WHERE id IN (${idList(params.ids)}) AND status = ${STATUS_CODE.running} AND owner = ${params.owner}`,
  );
  return rows.map((row) => claimedTask(row, row.claim_no));
}

/**
 * At most `limit` claims of this owner in the table whose last write is older than `settledMs`: the self-check releases those that the
 * process does not know. A plain read over the running rows of one type (`idx_claim`).
 */
export async function listOwnedClaims(
  session: Session,
  params: { readonly owner: string; readonly eventType: string; readonly settledMs: number; readonly limit: number },
): Promise<{ id: string; claimNo: number }[]> {
  const rows = await session.rows<{ id: string; claim_no: number }>(
    sql`SELECT CAST(id AS CHAR) AS id, claim_no FROM ${task} FORCE INDEX (idx_claim)
      WHERE event_type = ${params.eventType} AND status = ${STATUS_CODE.running} AND owner = ${params.owner}
      AND update_time <= ${laterBy(session, -params.settledMs)}
      ORDER BY ${task.nextRetryTime}, ${task.id} LIMIT ${sql.raw(String(Math.trunc(params.limit)))}`,
  );
  return rows.map((row) => ({ id: row.id, claimNo: row.claim_no }));
}

/** The payload text of one task, for those too long to come with the claim. */
export async function readPayload(session: Session, id: string): Promise<string | undefined> {
  const rows = await session.rows<{ biz_context: string }>(
    sql`SELECT biz_context FROM ${task} WHERE id = ${idLiteral(id)}`,
  );
  return rows[0]?.biz_context;
}

/** What the row of a claim looks like now; tells an already written result from a lost claim. */
export interface ClaimState {
  readonly id: string;
  readonly status: number;
  readonly owner: string | null;
  readonly claimNo: number;
  readonly retryCount: number;
  readonly recycleCount: number;
  readonly finishReason: string | null;
  /** Milliseconds since the row was last written. */
  readonly sinceUpdateMs: number;
}

/** The present state of each of these tasks; those that are gone from the live table are missing. */
export async function readClaimStates(session: Session, ids: readonly string[]): Promise<Map<string, ClaimState>> {
  if (ids.length === 0) return new Map();
  const rows = await session.rows<{
    id: string;
    status: number;
    owner: string | null;
    claim_no: number;
    retry_count: number;
    recycle_count: number;
    finish_reason: string | null;
    since_update_ms: string | number;
  }>(
    sql`SELECT CAST(id AS CHAR) AS id, status, owner, claim_no, retry_count, recycle_count, finish_reason,
      TIMESTAMPDIFF(MICROSECOND, update_time, ${session.now}) DIV 1000 AS since_update_ms
      FROM ${task} FORCE INDEX (PRIMARY) WHERE id IN (${idList(ids)})`,
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        status: row.status,
        owner: row.owner,
        claimNo: row.claim_no,
        retryCount: row.retry_count,
        recycleCount: row.recycle_count,
        finishReason: row.finish_reason,
        sinceUpdateMs: Number(row.since_update_ms),
      },
    ]),
  );
}
