import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { type ExportTarget, TargetError } from "./target.ts";

/** A file of the target, which the Parquet reader reads in ranges. */
class RangedFile {
  readonly name: string;
  readonly #target: ExportTarget;
  readonly #path: string;
  readonly #byteLength: number;

  private constructor(target: ExportTarget, path: string, byteLength: number) {
    this.name = `${target.name}/${path}`;
    this.#target = target;
    this.#path = path;
    this.#byteLength = byteLength;
  }

  static async open(target: ExportTarget, path: string): Promise<RangedFile> {
    const byteLength = await target.size(path);
    if (byteLength !== undefined) return new RangedFile(target, path, byteLength);
    throw new TargetError("EXPORT_FILE_MISSING", `${target.name}/${path} does not exist`);
  }

  /**
   * Lets the reader work on the file. It asks for several ranges at once and, when one fails, forgets the others, whose
   * rejections nobody would handle: so a range that fails ends the work from here, and one that comes late is never given.
   * @throws TargetError naming the file
   */
  async use<Result>(work: (file: AsyncBuffer) => Promise<Result>): Promise<Result> {
    let isOver = false;
    let fail: (error: unknown) => void = () => undefined;
    const failure = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const file: AsyncBuffer = {
      byteLength: this.#byteLength,
      slice: (start, end = this.#byteLength) =>
        new Promise((resolve) => {
          this.#read(start, end).then((bytes) => {
            if (!isOver) resolve(bytes);
          }, fail);
        }),
    };
    try {
      return await Promise.race([work(file), failure]);
    } catch (error) {
      if (error instanceof TargetError) throw error;
      const { message } = error as Error;
      throw new TargetError("EXPORT_FILE_INVALID", `${this.name} cannot be read as Parquet: ${message}`, error);
    } finally {
      isOver = true;
    }
  }

  async #read(start: number, end: number): Promise<ArrayBuffer> {
    const bytes = await this.#target.readRange(this.#path, start, Math.min(end, this.#byteLength));
    return Uint8Array.prototype.slice.call(bytes).buffer as ArrayBuffer;
  }
}

/** A value as the Parquet reader gives it. */
export type ReadValue = bigint | number | string | Date | null;
export type ReadRow = Readonly<Record<string, ReadValue>>;

/** One file of the target, opened to be read in parts. */
export class ParquetSource {
  readonly #file: RangedFile;
  readonly #metadata: FileMetaData;

  private constructor(file: RangedFile, metadata: FileMetaData) {
    this.#file = file;
    this.#metadata = metadata;
  }

  /** @throws TargetError naming the file if it is missing or no Parquet. */
  static async open(target: ExportTarget, path: string): Promise<ParquetSource> {
    const file = await RangedFile.open(target, path);
    return new ParquetSource(file, await file.use((buffer) => parquetMetadataAsync(buffer)));
  }

  get rows(): number {
    return Number(this.#metadata.num_rows);
  }

  /** All rows, one row group at a time: a few megabytes. */
  async *read(): AsyncIterable<readonly ReadRow[]> {
    let start = 0;
    for (const group of this.#metadata.row_groups) {
      const end = start + Number(group.num_rows);
      yield await this.#slice(start, end);
      start = end;
    }
  }

  /** The rows whose column holds this number; of the others, only that column is read. */
  async find(column: string, value: bigint): Promise<readonly ReadRow[]> {
    const found: ReadRow[] = [];
    let start = 0;
    for (const group of this.#metadata.row_groups) {
      const end = start + Number(group.num_rows);
      const values = await this.#slice(start, end, [column]);
      for (const [index, row] of values.entries()) {
        if (row[column] === value) found.push(...(await this.#slice(start + index, start + index + 1)));
      }
      start = end;
    }
    return found;
  }

  async #slice(rowStart: number, rowEnd: number, columns?: string[]): Promise<readonly ReadRow[]> {
    const rows = await this.#file.use((file) =>
      parquetReadObjects({
        file,
        metadata: this.#metadata,
        rowStart,
        rowEnd,
        ...(columns === undefined ? {} : { columns }),
      }),
    );
    return rows as readonly ReadRow[];
  }
}
