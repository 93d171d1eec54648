import type { Database } from "../../db/client.ts";
import {
  type ArchiveCursor,
  type ArchiveSource,
  type ArchiveWalk,
  digestDay,
  listDayTypes,
  listForeignColumns,
  readArchivePage,
  type RowsDigest,
  type StoredRow,
} from "../../db/queries/read-archive.ts";
import { type ForeignColumn, type ParquetValue, RowConverter, selectList, storedColumns } from "./columns.ts";
import { isTemporary } from "./local-target.ts";
import {
  decodeProgress,
  digestOf,
  encodeManifest,
  encodeProgress,
  type ManifestFile,
  manifestOf,
  sameDigest,
  sha256Of,
  type StoredManifest,
} from "./manifest.ts";
import { ParquetFile } from "./parquet-writer.ts";
import { dayFolder, manifestPath, partPath, progressPath } from "./partition-path.ts";
import type { ExportStep, OnStep } from "./steps.ts";
import type { ExportTarget } from "./target.ts";

/** Bounds of what is in memory and of what one file holds. */
export interface ExportLimits {
  readonly pageRows: number;
  readonly pageBytes: number;
  readonly groupRows: number;
  readonly groupBytes: number;
  readonly fileRows: number;
  readonly fileBytes: number;
}

export const EXPORT_LIMITS: ExportLimits = {
  pageRows: 2_000,
  pageBytes: 4 << 20,
  groupRows: 8_000,
  groupBytes: 4 << 20,
  fileRows: 1_000_000,
  fileBytes: 128 << 20,
};

export interface ExportDayParts {
  readonly database: Database;
  readonly target: ExportTarget;
  readonly limits: ExportLimits;
  /** Asked before each page; throws to end the export here. */
  readonly checkpoint: () => Promise<void>;
  readonly onStep: OnStep<ExportStep>;
  /** Told how many rows of the day are in the files. */
  readonly onRows: (rows: number, total: number) => void;
}

/** The rows in the files are not those in the archive: somebody changed a day that is over. Nothing was completed. */
export class DayChangedError extends Error {
  override readonly name = "DayChangedError";
  readonly code = "EXPORT_DAY_CHANGED";
}

/**
 * Writes all files of one day of one source, and the manifest last. Goes on where an earlier run stopped: files that are
 * complete stay, the one that was being written begins anew. The same rows always give the same files.
 */
export async function exportDay(parts: ExportDayParts, source: ArchiveSource, day: string): Promise<StoredManifest> {
  return new DayExport(parts, source, day).run();
}

class DayExport {
  readonly #parts: ExportDayParts;
  readonly #source: ArchiveSource;
  readonly #day: string;
  readonly #files: ManifestFile[] = [];
  #foreign: readonly ForeignColumn[] = [];
  #digest: RowsDigest = { rows: 0, idMin: null, idMax: null, idXor: "0" };

  constructor(parts: ExportDayParts, source: ArchiveSource, day: string) {
    this.#parts = parts;
    this.#source = source;
    this.#day = day;
  }

  async run(): Promise<StoredManifest> {
    const { database, target, onStep } = this.#parts;
    const [source, day] = [this.#source, this.#day];
    const known = [...storedColumns(source).map(({ name }) => name), "event_type"];
    this.#foreign = await database.use((session) => listForeignColumns(session, source, known));
    this.#digest = await database.use((session) => digestDay(session, source, day));
    const finished = await this.#finishedFiles();
    for (const eventType of await this.#eventTypes()) {
      this.#files.push(...finished.filter((file) => file.eventType === (eventType ?? null)));
      while (await this.#exportFile(eventType)) await this.#saveProgress();
    }
    await this.#checkComplete();
    await onStep("counted");
    await this.#removeStrays();
    await onStep("strays_removed");
    const manifest = manifestOf(source, day, this.#files);
    const bytes = encodeManifest(manifest);
    await this.#parts.checkpoint();
    await target.put(manifestPath(source, day), bytes);
    await onStep("manifest_written");
    return { manifest, sha256: sha256Of(bytes) };
  }

  /** The files of an earlier run that are still there as it left them, up to the first that is not. */
  async #finishedFiles(): Promise<ManifestFile[]> {
    const { target } = this.#parts;
    const files = decodeProgress(await target.get(progressPath(this.#source, this.#day)), this.#digest);
    const there: ManifestFile[] = [];
    for (const file of files) {
      if ((await target.size(file.path)) !== file.bytes) break;
      there.push(file);
    }
    return there;
  }

  async #eventTypes(): Promise<readonly (string | undefined)[]> {
    if (this.#source === "attempts") return this.#digest.rows === 0 ? [] : [undefined];
    return this.#parts.database.use((session) => listDayTypes(session, this.#day));
  }

  /** Writes the next file of a type; false if there are no more rows. */
  async #exportFile(eventType: string | undefined): Promise<boolean> {
    const { database, target, limits, onStep, checkpoint, onRows } = this.#parts;
    const mine = this.#files.filter((file) => file.eventType === (eventType ?? null));
    const walk: ArchiveWalk = { source: this.#source, day: this.#day, eventType };
    const rowsBefore = this.#files.reduce((sum, file) => sum + file.rows, 0);
    const path = partPath(this.#source, this.#day, eventType, mine.length);
    const last = mine.at(-1)?.last;
    let after: ArchiveCursor | undefined = last && {
      id: last.id,
      archivedTime: database.zone.format(new Date(last.archivedAt)),
    };
    const group = new RowGroup(this.#source, this.#foreign, database);
    let file: ParquetFile | undefined;
    try {
      while (group.totalRows < limits.fileRows && (file?.bytesWritten ?? 0) < limits.fileBytes) {
        await checkpoint();
        const page = await database.use((session) =>
          readArchivePage(session, walk, {
            after,
            columns: selectList(this.#source, this.#foreign),
            rowsMax: Math.min(limits.pageRows, limits.fileRows - group.totalRows),
            bytesMax: limits.pageBytes,
          }),
        );
        await onStep("page_read");
        if (!page.next) break;
        if (!file) {
          file = new ParquetFile(group.columns, await target.create(path));
          await onStep("file_created");
        }
        after = page.next;
        group.add(page.rows, page.bytes);
        if (group.rows >= limits.groupRows || group.bytes >= limits.groupBytes) {
          await file.writeGroup(group.take());
          await onStep("group_written");
        }
        onRows(rowsBefore + group.totalRows, this.#digest.rows);
      }
      if (!file || !after) return false;
      await file.writeGroup(group.take());
      const { bytes, sha256 } = await file.finish();
      await onStep("file_finished");
      const archivedAt = database.zone.parseInstant(after.archivedTime).toISOString();
      this.#files.push({
        path,
        eventType: eventType ?? null,
        ...group.digest,
        bytes,
        sha256,
        last: { id: after.id, archivedAt },
      });
      return true;
    } catch (error) {
      await file?.discard();
      throw error;
    }
  }

  async #saveProgress(): Promise<void> {
    const { target, onStep } = this.#parts;
    await target.put(progressPath(this.#source, this.#day), encodeProgress(this.#digest, this.#files));
    await onStep("progress_saved");
  }

  /** The files hold what the archive held at the beginning and holds now. */
  async #checkComplete(): Promise<void> {
    const { database, target } = this.#parts;
    const written = digestOf(this.#files);
    const stored = await database.use((session) => digestDay(session, this.#source, this.#day));
    if (sameDigest(written, stored)) return;
    await target.remove(progressPath(this.#source, this.#day));
    throw new DayChangedError(
      `${this.#source} of ${this.#day}: the files hold ${written.rows} rows, the archive ${stored.rows}; rows came or went meanwhile, the next run begins anew`,
    );
  }

  /** Files of an earlier run that cut the rows otherwise, and what a crash left: a reader would count their rows twice. */
  async #removeStrays(): Promise<void> {
    const { target } = this.#parts;
    const mine = new Set(this.#files.map(({ path }) => path));
    for (const path of await target.listFiles(dayFolder(this.#source, this.#day))) {
      const isOurs = /\/part-[0-9a-f-]+\.parquet$/.test(path) || isTemporary(path);
      if (isOurs && !mine.has(path)) await target.remove(path);
    }
  }
}

/** Rows that wait to be written, column by column, and the digest of all rows of the file. */
class RowGroup {
  readonly #converter: RowConverter;
  #values: ParquetValue[][];
  rows = 0;
  bytes = 0;
  totalRows = 0;
  #idMin: bigint | undefined;
  #idMax: bigint | undefined;
  #idXor = 0n;

  constructor(source: ArchiveSource, foreign: readonly ForeignColumn[], { zone }: Pick<Database, "zone">) {
    this.#converter = new RowConverter(source, foreign, zone);
    this.#values = this.columns.map(() => []);
  }

  get columns() {
    return this.#converter.columns;
  }

  get digest(): { rows: number; idMin: string; idMax: string; idXor: string } {
    const [low, high] = [this.#idMin ?? 0n, this.#idMax ?? 0n];
    return { rows: this.totalRows, idMin: low.toString(), idMax: high.toString(), idXor: this.#idXor.toString() };
  }

  add(rows: readonly StoredRow[], bytes: number): void {
    this.columns.forEach((column, index) => {
      const values = this.#values[index];
      for (const row of rows) values?.push(this.#converter.valueOf(row, column));
    });
    for (const row of rows) this.#count(BigInt(row["id"] ?? 0));
    this.rows += rows.length;
    this.totalRows += rows.length;
    this.bytes += bytes;
  }

  /** The values of each column; the group is empty afterwards. */
  take(): ParquetValue[][] {
    const values = this.#values;
    this.#values = this.columns.map(() => []);
    this.rows = 0;
    this.bytes = 0;
    return values;
  }

  #count(id: bigint): void {
    if (this.#idMin === undefined || id < this.#idMin) this.#idMin = id;
    if (this.#idMax === undefined || id > this.#idMax) this.#idMax = id;
    this.#idXor ^= id;
  }
}
