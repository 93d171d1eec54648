import "server-only";
import { listArchivePartitions } from "../../db/archive-partitions.ts";
import { listArchivedTypes } from "../../db/queries/browse-archive.ts";
import { listEventTypes } from "../../db/queries/event-types.ts";
import { type ArchivedCount, countArchivedByDay, readPurgedDays } from "../../db/queries/count-archived.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import type { Asker } from "./asker.ts";
import { consoleDatabase } from "./database.ts";

const COUNTED_DAYS = 7;
const TYPES_DAYS = 31;
const KEPT_MS = 60_000;

export interface ArchiveSummary {
  readonly asOf: string;
  /** Rows that were archived before this UTC day were deleted by policy; left out: none were, as far as records tell. */
  readonly deletedBefore: string | undefined;
  /** Days of which only types that are kept for longer are left. */
  readonly partlyDeleted: readonly string[];
  /** The types to choose from: those that are registered, and those of which tasks were archived of late. */
  readonly eventTypes: readonly string[];
  /** Tasks archived per type and UTC day in the last seven days. */
  readonly archivedPerDay: readonly ArchivedCount[];
  /** The server's estimates of how many rows there are; left out for an account that does not see all types. */
  readonly estimate:
    { readonly rows: number; readonly days: readonly { readonly day: string; readonly rows: number }[] } | undefined;
}

/** Counting reads a week of metrics: done at most once a minute for all who ask. */
let counted: { readonly atMs: number; readonly perDay: Promise<readonly ArchivedCount[]> } | undefined;

/** What the archive holds, and what it no longer holds. */
export async function summariseArchive(asker: Asker): Promise<ArchiveSummary> {
  const archivedPerDay = await countOnce();
  return consoleDatabase().use(async (session) => {
    const now = await readDatabaseNow(session);
    const recent = { from: new Date(now.getTime() - TYPES_DAYS * 86_400_000), to: new Date(now.getTime() + 1) };
    const registered = (await listEventTypes(session)).map(({ eventType }) => eventType);
    const eventTypes = [...new Set([...registered, ...(await listArchivedTypes(session, recent))])].sort();
    const partitions = await listArchivePartitions(session, "t_retry_task_archive");
    const days = partitions.flatMap(({ day, rows }) => (day === undefined ? [] : [{ day, rows }]));
    const { newestPurged, partly } = await readPurgedDays(session);
    const oldest = days[0]?.day;
    // A day that was emptied amid others that are kept says nothing of the days before it.
    const isAllBefore = newestPurged !== undefined && (oldest === undefined || newestPurged < oldest);
    const rows = partitions.reduce((sum, partition) => sum + partition.rows, 0);
    return {
      asOf: now.toISOString(),
      deletedBefore: isAllBefore ? dayAfter(newestPurged) : undefined,
      partlyDeleted: partly,
      eventTypes: eventTypes.filter((eventType) => asker.sees(eventType)),
      archivedPerDay: archivedPerDay.filter(({ eventType }) => asker.sees(eventType)),
      estimate: asker.scopes === undefined ? { rows, days: days.filter((day) => day.rows > 0) } : undefined,
    };
  });
}

function countOnce(): Promise<readonly ArchivedCount[]> {
  if (counted && performance.now() - counted.atMs < KEPT_MS) return counted.perDay;
  const perDay = consoleDatabase().use((session) => countArchivedByDay(session, COUNTED_DAYS));
  const fresh = { atMs: performance.now(), perDay };
  counted = fresh;
  perDay.catch(() => {
    if (counted === fresh) counted = undefined;
  });
  return perDay;
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}
