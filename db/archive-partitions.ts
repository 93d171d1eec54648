import { sql } from "drizzle-orm";
import { runDdl } from "./migrate/run-ddl.ts";
import type { Session } from "./session.ts";

/** The tables of the archive; both are cut at the same days. */
export const ARCHIVE_TABLES = ["t_retry_task_archive", "t_retry_attempt_archive"] as const;
export type ArchiveTable = (typeof ARCHIVE_TABLES)[number];

/** Rows that no day was made for in time; never missing, so an insert never fails for want of a partition. */
export const DEFAULT_PARTITION = "p_default";

const DAY_MS = 86_400_000;
const DDL_TRIES = 5;
/** Days are made long before they begin: there is time to come back. */
const MAKE_TRIES = 2;
/** Partitions that one statement makes at most. */
const DAYS_MADE_MAX = 400;

export interface ArchivePartition {
  /** `p20261129`, or `p_default`. */
  readonly name: string;
  /** The UTC day it is for; undefined for the default partition. */
  readonly day: string | undefined;
  /** The server's estimate. */
  readonly rows: number;
}

/** The partitions of one archive table, oldest day first, the default one last. */
export async function listArchivePartitions(session: Session, table: ArchiveTable): Promise<ArchivePartition[]> {
  const rows = await session.rows<{ name: string; n: string | number | null }>(
    sql`SELECT PARTITION_NAME AS name, TABLE_ROWS AS n FROM information_schema.PARTITIONS
      WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ${table} AND PARTITION_NAME IS NOT NULL ORDER BY PARTITION_ORDINAL_POSITION`,
  );
  return rows.map((row) => ({ name: row.name, day: dayOfPartition(row.name), rows: Number(row.n ?? 0) }));
}

/**
 * Makes the partitions of today and the next `daysAhead` UTC days in both tables, if they are missing. Takes them out of
 * the default partition, which moves what has got into it meanwhile, each row to a partition of its own day. Two processes
 * that do it at once: one finds it done.
 * @param now the database's present instant
 * @param onMade told after each table that was changed
 */
export async function ensureArchivePartitions(
  session: Session,
  now: Date,
  daysAhead = 3,
  onMade: (table: ArchiveTable) => Promise<void> | void = () => undefined,
): Promise<void> {
  for (const table of ARCHIVE_TABLES) {
    const newest = (await listArchivePartitions(session, table))
      .map((one) => one.day)
      .filter((day) => day !== undefined)
      .at(-1);
    const last = dayOf(now, daysAhead);
    if (newest !== undefined && newest >= last) continue;
    const oldestStray = await oldestInDefault(session, table);
    const first = [dayOf(now, 0), oldestStray && dayOf(oldestStray, 0)].filter((day) => day !== undefined).sort()[0];
    const missing = daysBetween(first ?? last, last).filter((day) => newest === undefined || day > newest);
    const parts = missing.map(
      (day) => `PARTITION \`${partitionOfDay(day)}\` VALUES LESS THAN ('${endOf(session, day)}')`,
    );
    const statement = `ALTER TABLE \`${table}\` REORGANIZE PARTITION \`${DEFAULT_PARTITION}\` INTO (${parts.join(", ")}, PARTITION \`${DEFAULT_PARTITION}\` VALUES LESS THAN (MAXVALUE))`;
    try {
      await runPartitionDdl(session, statement, MAKE_TRIES);
    } catch (error) {
      if (!isSamePartition(error)) throw error;
    }
    await onMade(table);
  }
}

/** The earliest row for which no day was there; the default partition is empty but for days of trouble. */
async function oldestInDefault(session: Session, table: ArchiveTable): Promise<Date | undefined> {
  const [row] = await session.rows<{ oldest: string | null }>(
    sql`SELECT MIN(archived_time) AS oldest FROM ${sql.raw(`\`${table}\` PARTITION (\`${DEFAULT_PARTITION}\`)`)}`,
  );
  return row?.oldest ? session.zone.parseInstant(row.oldest) : undefined;
}

/** Removes a whole day from both tables; its size does not matter. */
export async function dropArchiveDay(session: Session, day: string): Promise<void> {
  for (const table of ARCHIVE_TABLES) await dropArchivePartition(session, table, partitionOfDay(day));
}

/** Removes a partition of a day from one table; one that is not there is no error. */
export async function dropArchivePartition(session: Session, table: ArchiveTable, name: string): Promise<void> {
  if (dayOfPartition(name) === undefined) throw new RangeError(`"${name}" is not the partition of a day`);
  const exists = (await listArchivePartitions(session, table)).some((one) => one.name === name);
  if (exists) await runPartitionDdl(session, `ALTER TABLE \`${table}\` DROP PARTITION \`${name}\``);
}

/**
 * While such a statement waits for its table, every later reader of the archive queues behind it, an enqueue that looks
 * for its key there included: so it waits a second at most and lets them pass before it tries again.
 */
async function runPartitionDdl(session: Session, statement: string, tries = DDL_TRIES): Promise<void> {
  await session.run("SET SESSION lock_wait_timeout = 1");
  try {
    await runDdl(session, statement, tries);
  } finally {
    await session.run("SET SESSION lock_wait_timeout = DEFAULT").catch(() => undefined);
  }
}

/** The partition of a UTC day written as 2026-11-29. @throws RangeError if it is not a day. */
export function partitionOfDay(day: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(`${day}T00:00:00Z`))) {
    throw new RangeError(`"${day}" is not a day; write it as 2026-11-29`);
  }
  return `p${day.replaceAll("-", "")}`;
}

/** The day of a partition's name; undefined for the default one. */
export function dayOfPartition(name: string): string | undefined {
  const match = /^p(\d{4})(\d{2})(\d{2})$/.exec(name);
  return match ? `${match[1]}-${match[2]}-${match[3]}` : undefined;
}

/** The UTC day of an instant, so many days later. */
function dayOf(instant: Date, daysLater: number): string {
  return new Date(instant.getTime() + daysLater * DAY_MS).toISOString().slice(0, 10);
}

/** All days from the first to the last, at most the last 400: older strays share the first partition. */
function daysBetween(first: string, last: string): string[] {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  const from = Math.max(0, count - DAYS_MADE_MAX);
  return Array.from({ length: count - from }, (_, index) => dayOf(new Date(Date.parse(first)), from + index));
}

/** The end of a UTC day as the table's zone writes it. */
function endOf(session: Session, day: string): string {
  return session.zone.format(new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS));
}

/** 1517 (same partition name), 1493 (bounds not increasing): another process has just made them. */
function isSamePartition(error: unknown): boolean {
  const { errno } = error as { errno?: number };
  return errno === 1517 || errno === 1493;
}
