import { registerEventType } from "../../db/queries/event-types.ts";
import type { ArchivedTargets } from "../../db/queries/bulk-scope.ts";
import type { NewBulk } from "../../db/queries/bulk-operations.ts";
import { type ArchivedRowValues, insertArchivedRow } from "../../db/testing/archived-rows.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import { storeBulk } from "./bulk-scene.ts";

/** When archived tasks of tests were archived, unless they say otherwise. */
export const ARCHIVED = new Date("2026-11-20T00:00:00.000Z");
/** A time that holds all of them. */
export const ALL_TIME = { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" } as const;

/** An archived task that failed for good, of a registered type. */
export async function archiveTask(test: TestDatabase, row: ArchivedRowValues): Promise<void> {
  await test.database.use(async (session) => {
    await registerEventType(session, row.eventType ?? "TEST", "{}");
    await insertArchivedRow(session, { archivedAt: ARCHIVED, status: "failed", finishReason: "exhausted", ...row });
  });
}

/** Archived tasks that failed for good, with ids from `firstId` on, each archived a millisecond after the one before. */
export async function archiveMany(
  test: TestDatabase,
  tasks: { readonly eventType: string; readonly count: number; readonly firstId: number; readonly bizContext?: string },
): Promise<void> {
  const { eventType, count, firstId, bizContext = "{}" } = tasks;
  await test.database.use((session) => registerEventType(session, eventType, "{}"));
  for (let start = 0; start < count; start += 2_000) {
    const rows = Array.from({ length: Math.min(2_000, count - start) }, (_, index) => {
      const n = start + index;
      const at = `'${test.zone.format(new Date(ARCHIVED.getTime() + n))}'`;
      return `(${firstId + n}, ${at}, '${eventType}', 'k-${n}', '${bizContext}', 2, 5, 5, 'EXPONENTIAL', 10, ${at}, ${at}, ${at}, 3, 1, 'boom', 'f1', 'exhausted', ${at}, ${at})`;
    });
    await test.pool.query(
      `INSERT INTO t_retry_task_archive (id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
        first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count, last_error, error_fingerprint, finish_reason,
        started_time, finished_time) VALUES ${rows.join(",")}`,
    );
  }
}

/** Stores a replay of archived tasks, begun at once and without a pace unless it says so. */
export function storeReplay(
  test: TestDatabase,
  eventTypes: readonly string[],
  targets: Partial<ArchivedTargets> = {},
  more: Partial<Omit<NewBulk, "filter">> = {},
): Promise<string> {
  const archive = { ...(targets.picked ? {} : ALL_TIME), withSucceeded: false, ...targets };
  return storeBulk(test, { action: "replay", ...more, filter: { state: "all", eventTypes, archive } });
}
