import { type SQL, sql } from "drizzle-orm";
import type { ArchiveTable } from "../archive-partitions.ts";
import { idLiteral, type Session } from "../session.ts";

const DAY_MS = 86_400_000;

/** The two parts of the archive, by the word that folders and records use. */
export const ARCHIVE_SOURCES = ["tasks", "attempts"] as const;
export type ArchiveSource = (typeof ARCHIVE_SOURCES)[number];

export const SOURCE_TABLE = {
  tasks: "t_retry_task_archive",
  attempts: "t_retry_attempt_archive",
} as const satisfies Record<ArchiveSource, ArchiveTable>;

/** An index that holds id and archived_time of every row without the payload; counting walks it. */
const SLIM_INDEX = { tasks: "idx_type_time", attempts: "idx_task" } as const satisfies Record<ArchiveSource, string>;

export const tableOf = (source: ArchiveSource): SQL => sql.raw(`\`${SOURCE_TABLE[source]}\``);

/** Rows of one UTC day; the condition lets the server look at that day's partition only. */
export function withinDay(session: Session, day: string): SQL {
  const { from, to } = dayBounds(session, day);
  return sql`archived_time >= ${from} AND archived_time < ${to}`;
}

/** Both ends of a UTC day as the tables' zone writes them; the second is the first instant after it. */
export function dayBounds(session: Session, day: string): { from: string; to: string } {
  const start = Date.parse(`${day}T00:00:00Z`);
  return { from: session.zone.format(new Date(start)), to: session.zone.format(new Date(start + DAY_MS)) };
}

/** A partition and the UTC days that it holds rows of. A day may lie in the default partition when none was made in time. */
export interface PartitionDays {
  readonly partition: string;
  readonly days: readonly string[];
}

/**
 * The days that a table has rows of, by partition. A partition of a single day costs one look; only one whose bounds hold
 * several days (the first, the default one) is walked.
 */
export async function listPartitionDays(session: Session, source: ArchiveSource): Promise<PartitionDays[]> {
  const partitions = await session.rows<{ name: string; bound: string | null }>(
    sql`SELECT PARTITION_NAME AS name, PARTITION_DESCRIPTION AS bound FROM information_schema.PARTITIONS
      WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ${SOURCE_TABLE[source]} AND PARTITION_NAME IS NOT NULL
      ORDER BY PARTITION_ORDINAL_POSITION`,
  );
  const found: PartitionDays[] = [];
  let lower: Date | undefined;
  for (const { name, bound } of partitions) {
    const upper = bound?.startsWith("'") ? session.zone.parseInstant(bound.slice(1, -1)) : undefined;
    const isOneDay = lower !== undefined && upper !== undefined && upper.getTime() - lower.getTime() === DAY_MS;
    const days =
      isOneDay && lower ? await soleDay(session, source, name, lower) : await walkDays(session, source, name);
    if (days.length > 0 || upper !== undefined) found.push({ partition: name, days });
    lower = upper;
  }
  return found;
}

const inPartition = (source: ArchiveSource, name: string): SQL =>
  sql`${tableOf(source)} ${sql.raw(`PARTITION (\`${name}\`)`)}`;

async function soleDay(session: Session, source: ArchiveSource, partition: string, start: Date): Promise<string[]> {
  const rows = await session.rows<{ one: number }>(sql`SELECT 1 AS one FROM ${inPartition(source, partition)} LIMIT 1`);
  return rows.length === 0 ? [] : [start.toISOString().slice(0, 10)];
}

async function walkDays(session: Session, source: ArchiveSource, partition: string): Promise<string[]> {
  const index = sql.raw(`FORCE INDEX (${SLIM_INDEX[source]})`);
  const shift = sql.raw(String(-session.zone.offsetMinutes));
  const rows = await session.rows<{ day: string }>(
    sql`SELECT DISTINCT DATE_FORMAT(TIMESTAMPADD(MINUTE, ${shift}, archived_time), '%Y-%m-%d') AS day
      FROM ${inPartition(source, partition)} ${index} ORDER BY day`,
  );
  return rows.map((row) => row.day);
}

/** The event types that have archived tasks of a day: one step along `idx_type_time` per type. */
export async function listDayTypes(session: Session, day: string): Promise<string[]> {
  const types: string[] = [];
  let after: SQL = sql``;
  for (;;) {
    const [row] = await session.rows<{ event_type: string }>(
      sql`SELECT event_type FROM ${tableOf("tasks")} FORCE INDEX (idx_type_time) WHERE ${withinDay(session, day)} ${after}
        ORDER BY event_type LIMIT 1`,
    );
    if (!row) return types;
    types.push(row.event_type);
    after = sql`AND event_type > ${row.event_type}`;
  }
}

/** The event types of a day's archived attempts; walks the day's partition. */
export async function listDayAttemptTypes(session: Session, day: string): Promise<string[]> {
  const rows = await session.rows<{ event_type: string }>(
    sql`SELECT DISTINCT event_type FROM ${tableOf("attempts")} WHERE ${withinDay(session, day)} ORDER BY event_type`,
  );
  return rows.map((row) => row.event_type);
}

/** What tells one set of rows from another without reading them: a row more, less or exchanged changes it. */
export interface RowsDigest {
  readonly rows: number;
  readonly idMin: string | null;
  readonly idMax: string | null;
  /** XOR of all ids, in decimal digits. */
  readonly idXor: string;
}

/** The digest of a day's rows as the archive holds them at this moment. */
export async function digestDay(session: Session, source: ArchiveSource, day: string): Promise<RowsDigest> {
  const [row] = await session.rows<{
    n: string | number;
    low: string | null;
    high: string | null;
    bits: string | number;
  }>(
    sql`SELECT COUNT(*) AS n, CAST(MIN(id) AS CHAR) AS low, CAST(MAX(id) AS CHAR) AS high, CAST(BIT_XOR(id) AS CHAR) AS bits
      FROM ${tableOf(source)} FORCE INDEX (${sql.raw(SLIM_INDEX[source])}) WHERE ${withinDay(session, day)}`,
  );
  return {
    rows: Number(row?.n ?? 0),
    idMin: row?.low ?? null,
    idMax: row?.high ?? null,
    idXor: String(row?.bits ?? 0),
  };
}

/** Where a walk through a day's rows goes on. */
export interface ArchiveCursor {
  readonly archivedTime: string;
  readonly id: string;
}

/** A walk along one day: of one type's tasks, or of all attempts. */
export interface ArchiveWalk {
  readonly source: ArchiveSource;
  readonly day: string;
  /** Set for tasks. */
  readonly eventType: string | undefined;
}

/** A stored row by column name: numbers, text, null; instants and long ids are text. */
export type StoredRow = Readonly<Record<string, string | number | null>>;

/** The columns of a table that this program's schema does not know: a team's own. Bytes are read as hexadecimal digits. */
export async function listForeignColumns(
  session: Session,
  source: ArchiveSource,
  known: readonly string[],
): Promise<{ readonly name: string; readonly isBytes: boolean }[]> {
  const rows = await session.rows<{ name: string; type: string }>(
    sql`SELECT COLUMN_NAME AS name, DATA_TYPE AS type FROM information_schema.COLUMNS
      WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ${SOURCE_TABLE[source]} ORDER BY ORDINAL_POSITION`,
  );
  const names = new Set(known);
  return rows
    .filter(({ name }) => !names.has(name))
    .map(({ name, type }) => ({ name, isBytes: /blob|binary|bit|geometry|point/i.test(type) }));
}

export interface ArchivePage {
  readonly rows: readonly StoredRow[];
  /** The size of their payloads and error texts. */
  readonly bytes: number;
  /** The last row, where the next page begins; undefined after the end. */
  readonly next: ArchiveCursor | undefined;
}

/**
 * The next page of a walk: at most `rowsMax` rows, and no more than fit into `bytesMax` (one row always does). Looks at
 * the sizes first, so that a page of large payloads is as bounded as one of small ones. Own statements, no transaction:
 * a day that is over does not change, and no read view stays open while the caller writes.
 */
export async function readArchivePage(
  session: Session,
  walk: ArchiveWalk,
  params: {
    readonly after: ArchiveCursor | undefined;
    readonly columns: SQL;
    readonly rowsMax: number;
    readonly bytesMax: number;
  },
): Promise<ArchivePage> {
  const { after, columns, rowsMax, bytesMax } = params;
  const size =
    walk.source === "tasks"
      ? sql`OCTET_LENGTH(biz_context) + COALESCE(OCTET_LENGTH(last_error), 0)`
      : sql`COALESCE(OCTET_LENGTH(error), 0)`;
  // Named with their table: the aliases of the select list are text and would be sorted as text, without the index.
  const [at, id] = [sql`${tableOf(walk.source)}.archived_time`, sql`${tableOf(walk.source)}.id`];
  const order = walk.source === "tasks" ? sql`${at}, ${id}` : sql`${id}, ${at}`;
  const index = walk.source === "tasks" ? sql`FORCE INDEX (idx_type_time)` : sql`FORCE INDEX (PRIMARY)`;
  const from = sql`FROM ${tableOf(walk.source)} ${index} WHERE ${scopeOf(session, walk)}`;
  const sizes = await session.rows<{ id: string; at: string; bytes: string | number }>(
    sql`SELECT CAST(id AS CHAR) AS id, CAST(archived_time AS CHAR) AS at, ${size} AS bytes ${from} ${afterOf(walk, after)}
      ORDER BY ${order} LIMIT ${sql.raw(String(Math.trunc(rowsMax)))}`,
  );
  let bytes = 0;
  const fitting = sizes.findIndex((row, index) => (bytes += Number(row.bytes)) > bytesMax && index > 0);
  const taken = fitting < 0 ? sizes.length : fitting;
  const last = sizes[taken - 1];
  if (!last) return { rows: [], bytes: 0, next: undefined };
  const pageBytes = sizes.slice(0, taken).reduce((sum, row) => sum + Number(row.bytes), 0);
  const rows = await session.rows<StoredRow>(
    sql`SELECT ${columns} ${from} ${afterOf(walk, after)} ORDER BY ${order} LIMIT ${sql.raw(String(taken))}`,
  );
  return { rows, bytes: pageBytes, next: { archivedTime: last.at, id: last.id } };
}

function scopeOf(session: Session, walk: ArchiveWalk): SQL {
  const day = withinDay(session, walk.day);
  return walk.eventType === undefined ? day : sql`event_type = ${walk.eventType} AND ${day}`;
}

/** Two ranges of the index rather than one with a filter: a day whose rows share one instant is no slower. */
function afterOf(walk: ArchiveWalk, after: ArchiveCursor | undefined): SQL {
  if (!after) return sql``;
  const { archivedTime, id } = after;
  return walk.source === "tasks"
    ? sql`AND (archived_time > ${archivedTime} OR (archived_time = ${archivedTime} AND id > ${idLiteral(id)}))`
    : sql`AND (id > ${idLiteral(id)} OR (id = ${idLiteral(id)} AND archived_time > ${archivedTime}))`;
}
