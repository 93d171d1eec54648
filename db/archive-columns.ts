import { sql } from "drizzle-orm";
import type { Session } from "./session.ts";

/** The live tables whose rows move, and where they move to. */
const MOVES = [
  { part: "task", live: "t_retry_task", archive: "t_retry_task_archive" },
  { part: "attempt", live: "t_retry_attempt", archive: "t_retry_attempt_archive" },
] as const;

/** The columns that are copied beside `id`, in the order of the live table. */
export interface ArchiveColumns {
  readonly task: readonly string[];
  readonly attempt: readonly string[];
}

/** A live table has columns that the archive does not: to move its rows would lose their values. Nothing is moved. */
export class ArchiveColumnsError extends Error {
  override readonly name = "ArchiveColumnsError";
  readonly code = "ARCHIVE_COLUMNS_MISSING";
}

/**
 * Reads which columns a move must copy: all of the live table, those that a team or a newer version added included.
 * @throws ArchiveColumnsError for columns the archive table lacks; the message holds the statement that adds them.
 */
export async function readArchiveColumns(session: Session): Promise<ArchiveColumns> {
  const rows = await session.rows<{ tab: string; col: string; type: string; extra: string | null }>(
    sql`SELECT TABLE_NAME AS tab, COLUMN_NAME AS col, COLUMN_TYPE AS type, EXTRA AS extra FROM information_schema.COLUMNS
      WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (${sql.join(
        MOVES.flatMap(({ live, archive }) => [sql`${live}`, sql`${archive}`]),
        sql`, `,
      )}) ORDER BY ORDINAL_POSITION`,
  );
  const problems: string[] = [];
  const columnsOf = ({ live, archive }: (typeof MOVES)[number]): string[] => {
    const known = new Set(rows.filter(({ tab }) => tab === archive).map(({ col }) => col.toLowerCase()));
    // A generated column is made from the others; the archive may have it or not.
    const stored = rows.filter(
      ({ tab, extra }) => tab === live && !/\b(VIRTUAL|STORED|PERSISTENT)\b/i.test(extra ?? ""),
    );
    const missing = stored.filter(({ col }) => !known.has(col.toLowerCase()));
    if (missing.length > 0) {
      const additions = missing.map(({ col, type }) => `ADD COLUMN ${quoted(col)} ${type}`).join(", ");
      problems.push(
        `${live} has columns that ${archive} lacks, and no row is moved without them; run: ALTER TABLE ${archive} ${additions}`,
      );
    }
    return stored.map(({ col }) => col).filter((col) => col.toLowerCase() !== "id");
  };
  const [task, attempt] = [columnsOf(MOVES[0]), columnsOf(MOVES[1])];
  if (problems.length > 0) throw new ArchiveColumnsError(problems.join("; "));
  return { task, attempt };
}

/** Names as a list for a statement. */
export function columnList(columns: readonly string[]): string {
  return columns.map(quoted).join(", ");
}

function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}
