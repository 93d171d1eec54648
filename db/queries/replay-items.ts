import { sql } from "drizzle-orm";
import { bulkReplay, type BulkResult, type BulkSkip } from "../schema/bulk.ts";
import { statusFromCode } from "../schema/task-status.ts";
import { taskArchive } from "../schema/task-archive.ts";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";
import type { BulkItemRow } from "./bulk-outcome.ts";
import type { ArchivedRef } from "./bulk-scope.ts";
import { refKey, refRows } from "./replay-sources.ts";

export interface NewReplayItem extends ArchivedRef {
  readonly result: BulkResult;
  readonly detail?: BulkSkip | undefined;
  /** The new task, or the live one that stood in its way. */
  readonly liveId?: string | undefined;
}

/** Notes what became of archived tasks, in the transaction that made the new ones. One that was noted before raises 1062. */
export async function insertReplayItems(
  session: Session,
  bulkId: string,
  items: readonly NewReplayItem[],
): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map(
    (
      one,
    ) => sql`(${idLiteral(bulkId)}, ${idLiteral(one.id)}, ${session.zone.format(new Date(one.archivedAt))}, ${one.result},
      ${one.detail ?? null}, ${one.liveId === undefined ? sql`NULL` : idLiteral(one.liveId)}, ${session.now})`,
  );
  await session.change(
    sql`INSERT INTO ${bulkReplay} (bulk_id, archived_id, archived_time, result, detail, live_id, create_time) VALUES ${sql.join(rows, sql`, `)}`,
  );
}

/** Which of these archived tasks the action has dealt with already, by primary key. */
export async function listKnownReplays(
  session: Session,
  bulkId: string,
  refs: readonly ArchivedRef[],
): Promise<ReadonlySet<string>> {
  if (refs.length === 0) return new Set();
  const rows = await session.rows<{ id: string; at: string }>(
    sql`SELECT CAST(item.archived_id AS CHAR) AS id, CAST(item.archived_time AS CHAR) AS at FROM ${refRows(session, refs)} AS list
      STRAIGHT_JOIN ${bulkReplay} AS item FORCE INDEX (PRIMARY)
      ON item.bulk_id = ${idLiteral(bulkId)} AND item.archived_id = list.id AND item.archived_time = list.at`,
  );
  return new Set(rows.map(({ id, at }) => refKey({ id, archivedAt: session.zone.parseInstant(at).toISOString() })));
}

/** One archived task of a replay: `taskId` is its id, the others are of the live task that it led to or met. */
export interface ReplayItemRow extends BulkItemRow {
  readonly archivedAt: Date;
  readonly liveId: string | undefined;
}

/** One page of a replay's archived tasks with one result or all, by id after a given one. */
export async function listReplayItems(
  session: Session,
  params: {
    readonly bulkId: string;
    readonly result?: BulkResult | undefined;
    readonly after?: ArchivedRef | undefined;
    readonly limit: number;
  },
): Promise<ReplayItemRow[]> {
  const { result, after } = params;
  const { zone } = session;
  const index = sql.raw(result === undefined ? "PRIMARY" : "idx_result");
  const limit = sql.raw(String(Math.max(1, Math.min(1_001, Math.trunc(params.limit)))));
  const id = after && idLiteral(after.id);
  const behind = after
    ? sql`AND item.archived_id >= ${id} AND (item.archived_id > ${id} OR item.archived_time > ${zone.format(new Date(after.archivedAt))})`
    : sql``;
  const rows = await session.rows<{
    id: string;
    archived_at: string;
    result: BulkResult;
    detail: BulkSkip | null;
    at: string;
    live_id: string | null;
    event_type: string | null;
    biz_key: string | null;
    status: number | null;
  }>(
    sql`SELECT CAST(item.archived_id AS CHAR) AS id, CAST(item.archived_time AS CHAR) AS archived_at, item.result, item.detail, item.create_time AS at,
        CAST(item.live_id AS CHAR) AS live_id, COALESCE(a.event_type, t.event_type) AS event_type, COALESCE(a.biz_key, t.biz_key) AS biz_key, t.status
      FROM ${bulkReplay} AS item FORCE INDEX (${index})
      LEFT JOIN ${taskArchive} AS a FORCE INDEX (PRIMARY) ON a.id = item.archived_id AND a.archived_time = item.archived_time
      LEFT JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = item.live_id
      WHERE item.bulk_id = ${idLiteral(params.bulkId)} ${result === undefined ? sql`` : sql`AND item.result = ${result}`} ${behind}
      ORDER BY ${sql.raw("item.archived_id, item.archived_time")} LIMIT ${limit}`,
  );
  return rows.map((row) => ({
    taskId: row.id,
    archivedAt: zone.parseInstant(row.archived_at),
    result: row.result,
    detail: row.detail ?? undefined,
    at: zone.parseInstant(row.at),
    liveId: row.live_id ?? undefined,
    eventType: row.event_type ?? undefined,
    bizKey: row.biz_key ?? undefined,
    status: row.status === null ? undefined : statusFromCode(row.status),
  }));
}
