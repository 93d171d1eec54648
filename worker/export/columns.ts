import { type SQL, sql } from "drizzle-orm";
import type { ArchiveSource, StoredRow } from "../../db/queries/read-archive.ts";
import type { SessionZone } from "../../db/session-zone.ts";

/** How a column is written: 64-bit integer, 32-bit integer, UTC instant in milliseconds, UTF-8 text. Nothing is a double. */
export type ColumnKind = "int64" | "int32" | "instant" | "text";

export interface ExportColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly isNullable: boolean;
}

const column = (kind: ColumnKind, isNullable: boolean) => (name: string) => ({ name, kind, isNullable });
const int64 = column("int64", false);
const int32 = column("int32", false);
const instant = column("instant", false);
const text = column("text", false);
const int64OrNull = column("int64", true);
const instantOrNull = column("instant", true);
const textOrNull = column("text", true);

/** Holds the columns that an installation added to its tables, as a JSON object of text values; null if there are none. */
export const FOREIGN_COLUMN = "extra";

/** The columns of the files, in order. Those of tasks lack `event_type`: it is the name of their folder. */
export const EXPORT_COLUMNS: Readonly<Record<ArchiveSource, readonly ExportColumn[]>> = {
  tasks: [
    int64("id"),
    instant("archived_time"),
    text("biz_key"),
    text("biz_context"),
    int32("status"),
    int32("retry_count"),
    int32("max_retry_count"),
    text("retry_strategy"),
    int32("first_retry_interval"),
    instant("next_retry_time"),
    textOrNull("ip"),
    instant("create_time"),
    instant("update_time"),
    textOrNull("owner"),
    int32("claim_no"),
    int32("recycle_count"),
    textOrNull("last_error"),
    textOrNull("error_fingerprint"),
    textOrNull("finish_reason"),
    instantOrNull("started_time"),
    instantOrNull("finished_time"),
    textOrNull("trace_parent"),
    int64OrNull("parent_id"),
    textOrNull("origin"),
    textOrNull(FOREIGN_COLUMN),
  ],
  attempts: [
    int64("id"),
    instant("archived_time"),
    int64("task_id"),
    text("event_type"),
    text("kind"),
    int32("retry_count"),
    int32("claim_no"),
    textOrNull("owner"),
    textOrNull("actor"),
    textOrNull("detail"),
    textOrNull("error"),
    textOrNull("error_fingerprint"),
    int64OrNull("duration_ms"),
    instantOrNull("next_retry_time"),
    instant("create_time"),
    textOrNull(FOREIGN_COLUMN),
  ],
};

/** The columns of the archive tables that the files hold by their own name. */
export function storedColumns(source: ArchiveSource): readonly ExportColumn[] {
  return EXPORT_COLUMNS[source].filter(({ name }) => name !== FOREIGN_COLUMN);
}

export interface ForeignColumn {
  readonly name: string;
  readonly isBytes: boolean;
}

/** The select list for a page of rows: 64-bit integers as text, so that no driver turns them into doubles. */
export function selectList(source: ArchiveSource, foreign: readonly ForeignColumn[]): SQL {
  const stored = storedColumns(source).map(({ name, kind }) =>
    kind === "int64" || kind === "instant"
      ? sql.raw(`CAST(\`${name}\` AS CHAR) AS \`${name}\``)
      : sql.raw(`\`${name}\``),
  );
  const extra = foreign.map(({ name, isBytes }, index) => {
    const quoted = `\`${name.replaceAll("`", "``")}\``;
    return sql.raw(`${isBytes ? `HEX(${quoted})` : `CAST(${quoted} AS CHAR)`} AS extra_${index}`);
  });
  return sql.join([...stored, ...extra], sql`, `);
}

/** A value as the Parquet writer takes it. */
export type ParquetValue = bigint | number | string | null;

/** Turns stored rows into the values of the files' columns, column by column. */
export class RowConverter {
  readonly #columns: readonly ExportColumn[];
  readonly #foreign: readonly ForeignColumn[];
  readonly #zone: SessionZone;

  constructor(source: ArchiveSource, foreign: readonly ForeignColumn[], zone: SessionZone) {
    this.#columns = EXPORT_COLUMNS[source];
    this.#foreign = foreign;
    this.#zone = zone;
  }

  valueOf(row: StoredRow, column: ExportColumn): ParquetValue {
    if (column.name === FOREIGN_COLUMN) return this.#extra(row);
    const stored = row[column.name];
    if (stored === null || stored === undefined) return null;
    switch (column.kind) {
      case "int64":
        return BigInt(stored);
      case "int32":
        return Number(stored);
      case "instant":
        return this.#instant(row, column.name, String(stored));
      case "text":
        return String(stored);
    }
  }

  get columns(): readonly ExportColumn[] {
    return this.#columns;
  }

  /** A server without strict mode keeps `0000-00-00`, which is no instant and must not become one. */
  #instant(row: StoredRow, name: string, stored: string): bigint {
    const ms = this.#zone.parseInstant(stored).getTime();
    if (!Number.isNaN(ms)) return BigInt(ms);
    throw new RangeError(`row ${row["id"]}: ${name} is "${stored}", which is no instant; give it one in the archive`);
  }

  #extra(row: StoredRow): string | null {
    if (this.#foreign.length === 0) return null;
    return JSON.stringify(
      Object.fromEntries(this.#foreign.map(({ name }, index) => [name, row[`extra_${index}`] ?? null])),
    );
  }
}
