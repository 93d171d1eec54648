import { sql } from "drizzle-orm";
import { exported } from "../schema/export.ts";
import type { Session } from "../session.ts";
import type { ArchiveSource, RowsDigest } from "./read-archive.ts";

export interface ExportRecord {
  readonly target: string;
  readonly day: string;
  readonly source: ArchiveSource;
  readonly rowCount: number;
  readonly manifestSha256: string;
  readonly isVerified: boolean;
  /** From here on the day may have lost rows to a purge: it is never exported or compared again. */
  readonly hasPurgeBegun: boolean;
  readonly isPurged: boolean;
}

type Key = Pick<ExportRecord, "target" | "day" | "source">;

/** All exports of one target, oldest day first. */
export async function listExports(session: Session, target: string): Promise<ExportRecord[]> {
  const rows = await session.rows<{
    day: string;
    source: ArchiveSource;
    row_count: string | number;
    manifest_sha256: string;
    verified: number;
    began: number;
    purged: number;
  }>(
    sql`SELECT day, source, row_count, manifest_sha256, verified_time IS NOT NULL AS verified,
        purge_began_time IS NOT NULL AS began, purged_time IS NOT NULL AS purged
      FROM ${exported} WHERE target = ${target} ORDER BY day, source DESC`,
  );
  return rows.map((row) => ({
    target,
    day: row.day,
    source: row.source,
    rowCount: Number(row.row_count),
    manifestSha256: row.manifest_sha256,
    isVerified: Number(row.verified) === 1,
    hasPurgeBegun: Number(row.began) === 1,
    isPurged: Number(row.purged) === 1,
  }));
}

/** Whether rows of a day may have been purged, whatever the target. */
export async function hasPurgeBegun(session: Session, day: string): Promise<boolean> {
  const rows = await session.rows<{ one: number }>(
    sql`SELECT 1 AS one FROM ${exported} WHERE day = ${day} AND purge_began_time IS NOT NULL LIMIT 1`,
  );
  return rows.length > 0;
}

/** Says that a day's manifest is written; a record that was there is replaced and counts as not verified. */
export async function recordExport(
  session: Session,
  key: Key,
  digest: RowsDigest,
  manifestSha256: string,
): Promise<void> {
  const values = sql`row_count = ${digest.rows}, id_min = ${digest.idMin}, id_max = ${digest.idMax},
    manifest_sha256 = ${manifestSha256}, exported_time = ${session.now}, verified_time = NULL`;
  await session.change(
    sql`INSERT INTO ${exported} SET target = ${key.target}, day = ${key.day}, source = ${key.source}, ${values}
      ON DUPLICATE KEY UPDATE ${values}`,
  );
}

/** Says that the files of this very manifest were read back; false if the record is of another one. */
export async function markVerified(session: Session, key: Key, manifestSha256: string): Promise<boolean> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${exported} SET verified_time = ${session.now} WHERE ${isKey(key)} AND manifest_sha256 = ${manifestSha256}`,
  );
  return affectedRows > 0;
}

/** Takes a verification back: the files are not what they were. */
export async function markUnverified(session: Session, key: Key): Promise<void> {
  await session.change(sql`UPDATE ${exported} SET verified_time = NULL WHERE ${isKey(key)}`);
}

/** Says, before the first row goes, that a day's rows are being purged; its exports to every target then stay as they are. */
export async function markPurgeBegan(session: Session, day: string): Promise<void> {
  await session.change(
    sql`UPDATE ${exported} SET purge_began_time = ${session.now} WHERE day = ${day} AND purge_began_time IS NULL`,
  );
}

/** Says that nothing of a day is left in the archive. */
export async function markPurged(session: Session, day: string): Promise<void> {
  await session.change(
    sql`UPDATE ${exported} SET purged_time = ${session.now}
      WHERE day = ${day} AND purge_began_time IS NOT NULL AND purged_time IS NULL`,
  );
}

const isKey = ({ target, day, source }: Key) => sql`target = ${target} AND day = ${day} AND source = ${source}`;
