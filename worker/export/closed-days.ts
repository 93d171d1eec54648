import type { Database } from "../../db/client.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import {
  ARCHIVE_SOURCES,
  type ArchiveSource,
  listPartitionDays,
  type PartitionDays,
} from "../../db/queries/read-archive.ts";

const DAY_MS = 86_400_000;
/** A day counts as over this long after its end: a transaction that was stamped before midnight has long ended by then. */
export const DAY_SETTLE_MS = 3_600_000;

/** When a UTC day is over and settled. */
export function closedAt(day: string, settleMs = DAY_SETTLE_MS): number {
  return Date.parse(`${day}T00:00:00Z`) + DAY_MS + settleMs;
}

/** When the last instant of a UTC day has passed. */
export function endOfDay(day: string): number {
  return closedAt(day, 0);
}

export interface ArchiveDays {
  readonly now: Date;
  readonly partitions: Readonly<Record<ArchiveSource, readonly PartitionDays[]>>;
  /** The days of either table that are over and settled, oldest first. */
  readonly closed: readonly string[];
}

/** Which days the archive holds, and which of them will not change any more. */
export async function readArchiveDays(database: Database, settleMs = DAY_SETTLE_MS): Promise<ArchiveDays> {
  return database.use(async (session) => {
    const now = await readDatabaseNow(session);
    const [tasks, attempts] = [await listPartitionDays(session, "tasks"), await listPartitionDays(session, "attempts")];
    const partitions = { tasks, attempts };
    const days = new Set(ARCHIVE_SOURCES.flatMap((source) => partitions[source].flatMap((one) => one.days)));
    return { now, partitions, closed: [...days].filter((day) => closedAt(day, settleMs) <= now.getTime()).sort() };
  });
}
