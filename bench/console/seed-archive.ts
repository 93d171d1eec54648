import type { TestDatabase } from "../../db/testing/test-database.ts";
import type { SeedPart } from "./seed-chunks.ts";
import { ARCHIVE_DAYS, before, causeOf, errorOf, eventTypeOf, spread } from "./seed-plan.ts";

const DAY_MS = 86_400_000;

/** The days of the archive up to the one that ends at `end`, and three more. */
export async function makeArchiveDays({ pool, zone }: TestDatabase, end: Date): Promise<void> {
  for (const table of ["t_retry_task_archive", "t_retry_attempt_archive"]) {
    const [found] = await pool.query(
      `SELECT PARTITION_NAME AS name FROM information_schema.PARTITIONS
        WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND PARTITION_NAME <> 'p_default'`,
      [table],
    );
    if ((found as unknown[]).length >= ARCHIVE_DAYS) continue;
    const old = ["p_default", ...(found as { name: string }[]).map(({ name }) => name)].reverse();
    const parts = Array.from({ length: ARCHIVE_DAYS + 4 }, (_, index) => {
      const start = new Date(end.getTime() - (ARCHIVE_DAYS - index) * DAY_MS);
      const name = `p${start.toISOString().slice(0, 10).replaceAll("-", "")}`;
      return `PARTITION ${name} VALUES LESS THAN ('${zone.format(new Date(start.getTime() + DAY_MS))}')`;
    });
    await pool.query(
      `ALTER TABLE ${table} REORGANIZE PARTITION ${old.join(", ")} INTO (${parts.join(", ")}, PARTITION p_default VALUES LESS THAN (MAXVALUE))`,
    );
  }
}

/** Archived tasks, 2 % of them failed, one key in twenty used before, oldest day first as an archiver writes them. */
export function archivedTasks(rows: number, end: string): SeedPart {
  const age = `FLOOR(${ARCHIVE_DAYS * DAY_MS}e0 * (1 - n / ${rows}e0))`;
  const columns = `id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
    first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count, last_error, error_fingerprint,
    finish_reason, started_time, finished_time`;
  const ended = before(end, `age + ${7 * DAY_MS}`);
  const key = `CONCAT('order-', LPAD(IF(${spread("key")} < 0.05, FLOOR(${spread("time")} * ${Math.floor(rows / 20)}), n), 12, '0'))`;
  const plan = (numbers: string) =>
    `(SELECT n, ${spread("state")} < 0.02 AS failed, ${age} AS age FROM ${numbers}) AS plan`;
  return {
    name: "archive",
    rows,
    statements: (numbers) => [
      `INSERT INTO t_retry_task_archive (${columns})
        SELECT n + 1, ${before(end, "age")}, ${eventTypeOf}, ${key}, CONCAT('{"orderId":"', n, '","amount":', MOD(n, 10000), '}'),
          IF(failed, 2, 1), IF(failed, 8, 0), 8, 'EXPONENTIAL', 10, ${ended}, ${ended}, ${ended}, 1, 0, IF(failed, ${errorOf}, NULL),
          IF(failed, ${causeOf}, NULL), IF(failed, 'exhausted', 'success'), ${ended}, ${ended} FROM ${plan(numbers)}`,
      `INSERT INTO t_retry_attempt_archive (id, archived_time, task_id, event_type, kind, retry_count, claim_no, error,
          error_fingerprint, duration_ms, create_time)
        SELECT n + 1, ${before(end, "age")}, n + 1, ${eventTypeOf}, 'failed', 8, 1, ${errorOf}, ${causeOf}, 90, ${ended}
        FROM ${plan(numbers)} WHERE failed`,
    ],
  };
}
