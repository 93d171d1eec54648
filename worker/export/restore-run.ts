import { sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { createTableLike, insertRestored, RESTORED_TABLES } from "../../db/queries/restored-rows.ts";
import { ARCHIVE_SOURCES, type ArchiveSource } from "../../db/queries/read-archive.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import { storedColumns } from "./columns.ts";
import { decodeManifest, type Manifest, type ManifestFile } from "./manifest.ts";
import { ParquetSource, type ReadRow, type ReadValue } from "./parquet-reader.ts";
import { manifestPath } from "./partition-path.ts";
import { type ExportTarget, TargetError } from "./target.ts";
import { verifyFile } from "./verify-day.ts";

const BATCH_ROWS = 200;
const BATCH_BYTES = 4 << 20;

export interface RestoreParts {
  readonly database: Database;
  readonly target: ExportTarget;
  /** The table that tasks go to; their history goes beside it. */
  readonly into: string;
  readonly isDryRun: boolean;
  readonly checkpoint: () => void;
  readonly onProgress?: (progress: { readonly file: string; readonly rows: number }) => void;
}

export interface RestoreReport {
  /** Rows that the files hold of what was asked for. */
  readonly found: Readonly<Record<ArchiveSource, number>>;
  /** Rows that were not in the tables before. */
  readonly inserted: Readonly<Record<ArchiveSource, number>>;
  readonly tables: Readonly<Record<ArchiveSource, string>>;
}

/** Where the history goes when tasks go to this table. */
export function restoreTables(into: string): Record<ArchiveSource, string> {
  return into === RESTORED_TABLES.tasks ? { ...RESTORED_TABLES } : { tasks: into, attempts: `${into}_attempt` };
}

/**
 * Brings all rows of an exported day back, into tables for looking at them; a second time changes nothing. Every file is
 * read against its checksum before the first row is written.
 */
export async function restoreDay(parts: RestoreParts, day: string): Promise<RestoreReport> {
  const restore = new Restore(parts);
  const files: { source: ArchiveSource; file: ManifestFile }[] = [];
  for (const source of ARCHIVE_SOURCES) {
    const manifest = await readManifest(parts.target, source, day);
    if (!manifest) {
      throw new TargetError(
        "EXPORT_FILE_MISSING",
        `${parts.target.name} has no finished export of ${source} of ${day}`,
      );
    }
    files.push(...manifest.files.map((file) => ({ source, file })));
  }
  for (const { source, file } of files) await mustBeWhole(parts, file, manifestPath(source, day));
  await restore.begin();
  for (const { source, file } of files) {
    const parquet = await ParquetSource.open(parts.target, file.path);
    for await (const rows of parquet.read()) await restore.take(source, file, rows);
  }
  return restore.report();
}

/**
 * Brings one task back, every archived life of its id, with its history. Only files whose ids span it are read, and each
 * that holds a row of it against its checksum before anything is written.
 */
export async function restoreTask(parts: RestoreParts, id: string): Promise<RestoreReport> {
  const { target, checkpoint } = parts;
  const restore = new Restore(parts);
  const found: { source: ArchiveSource; file: ManifestFile; rows: readonly ReadRow[] }[] = [];
  const days = await listExportedDays(target, "tasks");
  if (days.length === 0) throw new TargetError("EXPORT_FILE_MISSING", `${target.name} holds no exported day`);
  let first: string | undefined;
  for (const day of days) {
    for (const file of (await readManifest(target, "tasks", day))?.files ?? []) {
      checkpoint();
      if (BigInt(file.idMin) > BigInt(id) || BigInt(file.idMax) < BigInt(id)) continue;
      // Before it is searched: a damaged file must not make a task look as if it had never been.
      await mustBeWhole(parts, file, manifestPath("tasks", day));
      const rows = await (await ParquetSource.open(target, file.path)).find("id", BigInt(id));
      if (rows.length === 0) continue;
      first ??= day;
      found.push({ source: "tasks", file, rows });
    }
  }
  // History that came late was archived on a later day than its task.
  const later = (await listExportedDays(target, "attempts")).filter((day) => first !== undefined && day >= first);
  for (const day of later) {
    for (const file of (await readManifest(target, "attempts", day))?.files ?? []) {
      checkpoint();
      const rows = await (await ParquetSource.open(target, file.path)).find("task_id", BigInt(id));
      if (rows.length === 0) continue;
      await mustBeWhole(parts, file, manifestPath("attempts", day));
      found.push({ source: "attempts", file, rows });
    }
  }
  if (found.length > 0) await restore.begin();
  for (const { source, file, rows } of found) await restore.take(source, file, rows);
  return restore.report();
}

/** @throws TargetError if a file is not as its manifest says. */
async function mustBeWhole({ target, checkpoint }: RestoreParts, file: ManifestFile, manifest: string): Promise<void> {
  const problem = await verifyFile(target, file, async () => checkpoint());
  if (problem === undefined) return;
  throw new TargetError(
    "EXPORT_FILE_INVALID",
    `nothing was restored: ${target.name}/${file.path} is not as ${manifest} says: ${problem}; bring both back from a backup of the target`,
  );
}

async function listExportedDays(target: ExportTarget, source: ArchiveSource): Promise<string[]> {
  const folders = await target.listFolders(source);
  return folders.filter((name) => /^dt=\d{4}-\d{2}-\d{2}$/.test(name)).map((name) => name.slice(3));
}

async function readManifest(target: ExportTarget, source: ArchiveSource, day: string): Promise<Manifest | undefined> {
  const path = manifestPath(source, day);
  const bytes = await target.get(path);
  return bytes && decodeManifest(bytes, path).manifest;
}

class Restore {
  readonly #parts: RestoreParts;
  readonly #tables: Record<ArchiveSource, string>;
  readonly #found: Record<ArchiveSource, number> = { tasks: 0, attempts: 0 };
  readonly #inserted: Record<ArchiveSource, number> = { tasks: 0, attempts: 0 };

  constructor(parts: RestoreParts) {
    this.#parts = parts;
    this.#tables = restoreTables(parts.into);
  }

  async begin(): Promise<void> {
    const { database, isDryRun } = this.#parts;
    if (isDryRun) return;
    for (const source of ARCHIVE_SOURCES) {
      if (this.#tables[source] === RESTORED_TABLES[source]) continue;
      await database.use((session) => createTableLike(session, this.#tables[source], RESTORED_TABLES[source]));
    }
  }

  async take(source: ArchiveSource, file: ManifestFile, rows: readonly ReadRow[]): Promise<void> {
    this.#found[source] += rows.length;
    let batch: ReadRow[] = [];
    let bytes = 0;
    for (const row of rows) {
      batch.push(row);
      bytes += sizeOf(row);
      if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
      await this.#insert(source, file, batch);
      [batch, bytes] = [[], 0];
    }
    await this.#insert(source, file, batch);
    this.#parts.onProgress?.({ file: file.path, rows: this.#found.tasks + this.#found.attempts });
  }

  report(): RestoreReport {
    return { found: this.#found, inserted: this.#inserted, tables: this.#tables };
  }

  async #insert(source: ArchiveSource, file: ManifestFile, rows: readonly ReadRow[]): Promise<void> {
    const { database, isDryRun, checkpoint } = this.#parts;
    checkpoint();
    if (rows.length === 0 || isDryRun) return;
    // The type of a task is the name of its folder, which the manifest keeps as it is.
    const withType = source === "tasks";
    const columns = storedColumns(source);
    const names = [...columns.map(({ name }) => name), ...(withType ? ["event_type"] : [])];
    const values = rows.map((row) => [
      ...columns.map(({ name }) => storedValue(row[name], database.zone)),
      ...(withType ? [file.eventType] : []),
    ]);
    const table = this.#tables[source];
    const ids = rows.map((row) => String(row["id"]));
    this.#inserted[source] += await database.retryingTransaction(async (session) => {
      const count = async () => {
        const list = sql.raw(ids.map((id) => BigInt(id).toString()).join(","));
        const [row] = await session.rows<{ n: string | number }>(
          sql`SELECT COUNT(*) AS n FROM ${sql.raw(`\`${table}\``)} WHERE id IN (${list})`,
        );
        return Number(row?.n ?? 0);
      };
      const before = await count();
      await insertRestored(session, table, names, values);
      return (await count()) - before;
    });
  }
}

function storedValue(value: ReadValue | undefined, zone: SessionZone): string | number | bigint | null {
  if (value === undefined || value === null) return null;
  return value instanceof Date ? zone.format(value) : value;
}

function sizeOf(row: ReadRow): number {
  return Object.values(row).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length * 2 : 8), 0);
}
