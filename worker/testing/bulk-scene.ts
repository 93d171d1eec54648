import { type NewBulk, insertBulk, readBulk, type BulkRow, readBulkBounds } from "../../db/queries/bulk-operations.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import { BulkRunner, type BulkRunnerParts } from "../duties/bulk-runner.ts";
import { systemClock } from "../engine/clock.ts";
import { EngineEvents } from "../engine/events.ts";
import { silentLogger } from "../engine/logger.ts";
import { waitFor } from "./wait-for.ts";

/** Inserts tasks that failed for good, in statements of 5,000, due and ended in the past; answers their number. */
export async function insertFailed(
  test: TestDatabase,
  tasks: { readonly eventType: string; readonly count: number; readonly cause?: string; readonly prefix?: string },
): Promise<number> {
  const { eventType, count, cause = "f1", prefix = "k" } = tasks;
  const past = (seconds: number) =>
    `TIMESTAMPADD(SECOND, -${seconds}, TIMESTAMPADD(MINUTE, ${test.zone.offsetMinutes}, UTC_TIMESTAMP(3)))`;
  for (let start = 0; start < count; start += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, count - start) }, (_, index) => {
      const n = start + index;
      return `('${eventType}', '${prefix}-${n}', '{}', 2, 5, 5, 'EXPONENTIAL', 10, ${past(600 + (n % 300))}, ${past(900)}, ${past(500)}, 3, 1, 'boom ${n % 7}', '${cause}', 'exhausted', ${past(520)}, ${past(500)})`;
    });
    await test.pool.query(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy, first_retry_interval,
        next_retry_time, create_time, update_time, claim_no, recycle_count, last_error, error_fingerprint, finish_reason, started_time,
        finished_time) VALUES ${rows.join(",")}`,
    );
  }
  return count;
}

/** Stores an action over failed tasks, without the delay before its start and without a pace unless it says so. */
export async function storeBulk(
  test: TestDatabase,
  values: Partial<Omit<NewBulk, "filter">> & { readonly filter: Partial<NewBulk["filter"]> },
): Promise<string> {
  return test.database.use(async (session) =>
    insertBulk(session, {
      name: "after the incident",
      action: "reset",
      state: "scheduled",
      ratePerSecond: undefined,
      jitterMs: 0,
      canaryRows: 0,
      canaryShare: undefined,
      reason: "INC-7",
      actor: "ada",
      estimate: 0,
      startDelayMs: 0,
      bounds: await readBulkBounds(session),
      ...values,
      filter: { state: "failed", eventTypes: [], ...values.filter },
    }),
  );
}

export async function bulkOf(test: TestDatabase, id: string): Promise<BulkRow> {
  const row = await test.database.use((session) => readBulk(session, id));
  if (!row) throw new Error(`there is no bulk action ${id}`);
  return row;
}

/** A runner as a worker has it, not started. */
export function bulkRunner(test: TestDatabase, parts: Partial<BulkRunnerParts> = {}): BulkRunner {
  const { database } = test;
  return new BulkRunner({
    database,
    owner: "runner",
    clock: systemClock,
    events: new EngineEvents(),
    log: silentLogger,
    ...parts,
  });
}

/** Starts a runner and waits until the action has left the hands of workers; answers it. */
export async function runBulk(test: TestDatabase, id: string, parts: Partial<BulkRunnerParts> = {}): Promise<BulkRow> {
  const runner = bulkRunner(test, parts);
  runner.start();
  try {
    return await waitFor(
      `the bulk action ${id} to end`,
      async () => {
        const row = await bulkOf(test, id);
        return ["finished", "aborted", "failed", "paused"].includes(row.state) && row;
      },
      120_000,
    );
  } finally {
    await runner.stop();
  }
}
