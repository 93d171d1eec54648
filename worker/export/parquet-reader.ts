import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { type ExportTarget, TargetError } from "./target.ts";

/** A file of the target as the Parquet reader wants it: ranges are fetched as they are needed. */
async function openFile(target: ExportTarget, path: string): Promise<AsyncBuffer> {
  const byteLength = await target.size(path);
  if (byteLength === undefined) throw new TargetError("EXPORT_FILE_MISSING", `${target.name}/${path} does not exist`);
  return {
    byteLength,
    slice(start, end = byteLength) {
      const bytes = readSlice(target, path, start, Math.min(end, byteLength));
      // The reader asks for several at once and, when one fails, forgets the others: nobody would handle theirs.
      bytes.catch(() => undefined);
      return bytes;
    },
  };
}

async function readSlice(target: ExportTarget, path: string, start: number, end: number): Promise<ArrayBuffer> {
  const bytes = await target.readRange(path, start, end);
  return Uint8Array.prototype.slice.call(bytes).buffer as ArrayBuffer;
}

/** A value as the Parquet reader gives it. */
export type ReadValue = bigint | number | string | Date | null;
export type ReadRow = Readonly<Record<string, ReadValue>>;

/** One file of the target, opened to be read in parts. */
export class ParquetSource {
  readonly #name: string;
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;

  private constructor(name: string, file: AsyncBuffer, metadata: FileMetaData) {
    this.#name = name;
    this.#file = file;
    this.#metadata = metadata;
  }

  /** @throws TargetError naming the file if it is missing or no Parquet. */
  static async open(target: ExportTarget, path: string): Promise<ParquetSource> {
    const name = `${target.name}/${path}`;
    const file = await openFile(target, path);
    return new ParquetSource(name, file, await namingFile(name, parquetMetadataAsync(file)));
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
    const rows = parquetReadObjects({
      file: this.#file,
      metadata: this.#metadata,
      rowStart,
      rowEnd,
      ...(columns === undefined ? {} : { columns }),
    });
    return (await namingFile(this.#name, rows)) as readonly ReadRow[];
  }
}

/** What the reader says of a damaged file names no file. */
async function namingFile<Result>(name: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TargetError) throw error;
    throw new TargetError(
      "EXPORT_FILE_INVALID",
      `${name} cannot be read as Parquet: ${(error as Error).message}`,
      error,
    );
  }
}
