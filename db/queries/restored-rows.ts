import { sql } from "drizzle-orm";
import type { Session } from "../session.ts";

/** The tables that restored rows go to unless somebody names others. */
export const RESTORED_TABLES = { tasks: "t_retry_task_restored", attempts: "t_retry_attempt_restored" } as const;

/**
 * A table's name that restored rows may go to: letters, digits and underscores, and none that begins like our own, so that
 * nothing is ever brought back into a live or an archive table.
 */
export function isRestoreTable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,54}$/.test(name) && (!/^t_retry_/i.test(name) || name === RESTORED_TABLES.tasks);
}

/** Makes a table with the columns and keys of another one, if it is missing. Both names must be checked. */
export async function createTableLike(session: Session, name: string, model: string): Promise<void> {
  await session.run(`CREATE TABLE IF NOT EXISTS \`${name}\` LIKE \`${model}\``);
}

/** Inserts rows that are not there yet (same id and archived_time); answers how many were new. */
export async function insertRestored(
  session: Session,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number | bigint | null)[])[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const names = sql.raw(columns.map((name) => `\`${name}\``).join(", "));
  const values = rows.map(
    (row) =>
      sql`(${sql.join(
        row.map((value) => sql`${value}`),
        sql`, `,
      )})`,
  );
  // The key that is there already is the one expected conflict; a no-op update, unlike IGNORE, swallows no other error.
  const { affectedRows } = await session.change(
    sql`INSERT INTO ${sql.raw(`\`${table}\``)} (${names}) VALUES ${sql.join(values, sql`, `)} ON DUPLICATE KEY UPDATE id = id`,
  );
  return affectedRows;
}
