import type { TestDatabase } from "./test-database.ts";

const DAY_MS = 86_400_000;

/**
 * Fills tables with ended tasks of five types, live and archived, each with an entry in its history. The archive is cut at
 * its days, the last of which is that of `now`.
 */
export async function fillArchive(
  test: TestDatabase,
  shape: { readonly live: number; readonly archived: number; readonly days: number; readonly now: number },
): Promise<void> {
  const { zone, pool } = test;
  const { days, now } = shape;
  for (const table of ["t_retry_task_archive", "t_retry_attempt_archive"]) {
    const parts = Array.from({ length: days }, (_, index) => {
      const day = new Date(Math.floor(now / DAY_MS) * DAY_MS - (days - 1 - index) * DAY_MS);
      const name = `p${day.toISOString().slice(0, 10).replaceAll("-", "")}`;
      return `PARTITION ${name} VALUES LESS THAN ('${zone.format(new Date(day.getTime() + DAY_MS))}')`;
    });
    await pool.query(
      `ALTER TABLE ${table} REORGANIZE PARTITION p_default INTO (${parts.join(", ")}, PARTITION p_default VALUES LESS THAN (MAXVALUE))`,
    );
  }
  const columns =
    "event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time, create_time, update_time, finished_time, error_fingerprint";
  const row = (n: number, at: string) =>
    `'T${n % 5}', 'key-${n}', '{}', ${n % 50 === 0 ? 2 : 1}, 3, 'FIXED', 10, '${at}', '${at}', '${at}', '${at}', ${n % 10 === 0 ? `'f${n % 7}'` : "NULL"}`;
  const insert = async (head: string, rows: readonly string[]) => {
    for (let start = 0; start < rows.length; start += 2_000)
      await pool.query(`${head} VALUES ${rows.slice(start, start + 2_000).join(",")}`);
  };
  const ended = zone.format(new Date(now - 9 * DAY_MS));
  await insert(
    `INSERT INTO t_retry_task (${columns})`,
    Array.from({ length: shape.live }, (_, n) => `(${row(n, ended)})`),
  );
  await insert(
    `INSERT INTO t_retry_task_archive (id, archived_time, retry_count, claim_no, recycle_count, ${columns})`,
    Array.from({ length: shape.archived }, (_, n) => {
      const at = zone.format(new Date(now - (n * days * DAY_MS) / shape.archived));
      return `(${1_000_000 + n}, '${at}', 0, 1, 0, ${row(n + shape.live, at)})`;
    }),
  );
  const entry = (id: number, n: number, at: string) =>
    `${id}, 'T0', '${n % 4 === 0 ? "stale" : "retried"}', 1, 1, '${at}'`;
  const entryColumns = "task_id, event_type, kind, retry_count, claim_no, create_time";
  await insert(
    `INSERT INTO t_retry_attempt (${entryColumns})`,
    Array.from({ length: shape.live }, (_, n) => `(${entry(1 + n, n, ended)})`),
  );
  await insert(
    `INSERT INTO t_retry_attempt_archive (id, archived_time, ${entryColumns})`,
    Array.from(
      { length: shape.archived },
      (_, n) => `(${1_000_000 + n}, '${ended}', ${entry(1_000_000 + n, n, ended)})`,
    ),
  );
  await pool.query("ANALYZE TABLE t_retry_task, t_retry_attempt, t_retry_task_archive, t_retry_attempt_archive");
}
