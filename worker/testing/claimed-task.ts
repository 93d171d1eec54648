import type { ClaimedTask } from "../../db/queries/claim-tasks.ts";

/** A claim for tests of parts that never touch its row. */
export function claimedTask(id: string, values: Partial<ClaimedTask> = {}): ClaimedTask {
  return {
    id,
    eventType: "TEST",
    bizKey: `key-${id}`,
    bizContext: "{}",
    claimNo: 1,
    retryCount: 0,
    maxRetryCount: 3,
    recycleCount: 0,
    retryStrategy: "FIXED",
    firstRetryIntervalSeconds: 10,
    nextRetryTime: "2026-01-01 00:00:00.000",
    traceParent: undefined,
    parentId: undefined,
    ...values,
  };
}
