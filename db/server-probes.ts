import { sql } from "drizzle-orm";
import { isOutage } from "./mysql-errors.ts";
import type { Session } from "./session.ts";

/** Answer of a probe; `unknown` if the tables it needs are not installed yet or not accessible. */
export type Probe = "yes" | "no" | "unknown";

const SYNTAX_ERROR: ReadonlySet<number> = new Set([1064, 1235, 4166]);
const READ_ONLY_ERROR: ReadonlySet<number> = new Set([1290, 1792, 1836, 3100, 1142]);
const CANNOT_TELL: ReadonlySet<number> = new Set([1146, 1142, 1143, 1290, 1792, 1836]);

/** Whether a locking SELECT with SKIP LOCKED really runs; it matches no row. */
export function probeSkipLocked(session: Session): Promise<Probe> {
  return probe(async () => {
    await session.rows(sql`SELECT id FROM t_retry_task WHERE id = 0 LIMIT 1 FOR UPDATE SKIP LOCKED`);
  }, SYNTAX_ERROR);
}

/** Whether an UPDATE that matches no row is let through. */
export function probeWritable(session: Session): Promise<Probe> {
  return probe(async () => {
    await session.change(sql`UPDATE t_retry_lease SET lease_no = lease_no WHERE name = ''`);
  }, READ_ONLY_ERROR);
}

async function probe(run: () => Promise<void>, refusals: ReadonlySet<number>): Promise<Probe> {
  try {
    await run();
    return "yes";
  } catch (error) {
    const { errno } = error as { errno?: number };
    if (errno !== undefined && refusals.has(errno)) return "no";
    if (errno !== undefined && CANNOT_TELL.has(errno)) return "unknown";
    throw error;
  }
}

/** An update of an existing row to the value it has: 1 if matched rows are counted, 0 if changed ones. */
export async function affectedRowsMeaning(session: Session): Promise<"matched" | "changed" | "unknown"> {
  try {
    const [row] = await session.rows<{ version: number }>(
      sql`SELECT version FROM t_retry_migration ORDER BY version LIMIT 1`,
    );
    if (!row) return "unknown";
    const { affectedRows } = await session.change(
      sql`UPDATE t_retry_migration SET version = version WHERE version = ${row.version}`,
    );
    return affectedRows === 1 ? "matched" : "changed";
  } catch (error) {
    if (isOutage(error) && !READ_ONLY_ERROR.has((error as { errno?: number }).errno ?? 0)) throw error;
    return "unknown";
  }
}

/** Database clock minus this process's clock, in milliseconds. */
export async function clockOffsetMs(session: Session): Promise<number> {
  const before = Date.now();
  const [row] = await session.rows<{ now: string }>(sql`SELECT ${session.zone.now} AS now`);
  const after = Date.now();
  if (!row) return 0;
  return Math.round(session.zone.parseInstant(row.now).getTime() - (before + after) / 2);
}
