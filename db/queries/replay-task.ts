import { sql } from "drizzle-orm";
import { isDuplicateKey } from "../mysql-errors.ts";
import { STATUS_CODE, type TaskStatus } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { taskArchive } from "../schema/task-archive.ts";
import { idLiteral, type Session } from "../session.ts";
import { textLiteral } from "../text-literal.ts";
import { findTaskIds } from "./find-task-id.ts";
import { insertAttempts } from "./insert-attempts.ts";

/** What a replay found: done, or why nothing was created. */
export type ReplayVerdict =
  | { readonly outcome: "done"; readonly id: string }
  /** A live task has the same type and key; it is the one to look at. */
  | { readonly outcome: "live_twin"; readonly id: string; readonly status: TaskStatus | undefined }
  | { readonly outcome: "not_found" };

/**
 * A person's new task made from an archived one, inside the caller's transaction: same type, key and retry rule, the old payload or another one,
 * due now; a poller runs it. Both are linked: the new one's `parent_id` is the old id, and each has an entry `replayed`
 * that names the other. The old one stays as it is. Two presses are one replay: the second finds the live twin.
 */
export async function replayTask(
  session: Session,
  params: {
    readonly id: string;
    /** Which one, if the server handed the id out again; default the newest. */
    readonly archivedAt?: Date | undefined;
    readonly actor: string;
    readonly reason?: string | undefined;
    /** `origin` of the new task. */
    readonly origin?: string | undefined;
    /** Another payload than the old one's: JSON text of a size that the caller has checked. */
    readonly bizContext?: string | undefined;
  },
): Promise<ReplayVerdict> {
  const at =
    params.archivedAt === undefined ? sql`` : sql`AND archived_time = ${session.zone.format(params.archivedAt)}`;
  const [old] = await session.rows<{
    event_type: string;
    biz_key: string;
    retry_count: number;
    claim_no: number;
    at: string;
  }>(
    sql`SELECT event_type, biz_key, retry_count, claim_no, CAST(archived_time AS CHAR) AS at FROM ${taskArchive} FORCE INDEX (PRIMARY)
      WHERE id = ${idLiteral(params.id)} ${at} ORDER BY ${taskArchive.id} DESC, ${taskArchive.archivedTime} DESC LIMIT 1`,
  );
  if (!old) return { outcome: "not_found" };
  const key = { eventType: old.event_type, bizKey: old.biz_key };
  const twin = async (): Promise<ReplayVerdict | undefined> => {
    const [live] = await findTaskIds(session, [key]);
    return live && { outcome: "live_twin", id: live.id, status: live.status };
  };
  const { now } = session;
  for (let tries = 0; tries < 3; tries++) {
    const found = await twin();
    if (found) return found;
    try {
      await session.change(
        sql`INSERT INTO ${task} (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval,
            next_retry_time, create_time, update_time, parent_id, origin)
          SELECT event_type, biz_key, ${params.bizContext === undefined ? sql`biz_context` : textLiteral(params.bizContext)}, ${STATUS_CODE.pending}, max_retry_count, retry_strategy, first_retry_interval,
            ${now}, ${now}, ${now}, id, ${params.origin ?? "replay"} FROM ${taskArchive} FORCE INDEX (PRIMARY)
          WHERE id = ${idLiteral(params.id)} AND archived_time = ${old.at}`,
      );
    } catch (error) {
      // Somebody was faster: the twin is there now, or gone again already.
      if (!isDuplicateKey(error)) throw error;
      continue;
    }
    const [created] = await session.rows<{ id: string }>(sql`SELECT CAST(LAST_INSERT_ID() AS CHAR) AS id`);
    const id = String(created?.id);
    const reason = params.reason === undefined ? "" : `: ${params.reason}`;
    const common = { eventType: old.event_type, kind: "replayed", actor: params.actor } as const;
    await insertAttempts(session, [
      {
        ...common,
        taskId: params.id,
        retryCount: old.retry_count,
        claimNo: old.claim_no,
        detail: `as task ${id}${reason}`,
      },
      { ...common, taskId: id, retryCount: 0, claimNo: 0, detail: `of task ${params.id}${reason}` },
    ]);
    return { outcome: "done", id };
  }
  return (await twin()) ?? { outcome: "not_found" };
}
