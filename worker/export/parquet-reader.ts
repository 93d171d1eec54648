import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { type ExportTarget, TargetError } from "./target.ts";

/** A file of the target as the Parquet reader wants it: ranges are fetched as they are needed. */
async function openFile(target: ExportTarget, path: string): Promise<AsyncBuffer> {
  const byteLength = await target.size(path);
  if (byteLength === undefined) throw new TargetError("EXPORT_FILE_MISSING", `${target.name}/${path} does not exist`);
  return {
    byteLength,
    async slice(start, end = byteLength) {
      const bytes = await target.readRange(path, start, Math.min(end, byteLength));
      return Uint8Array.prototype.slice.call(bytes).buffer as ArrayBuffer;
    },
  };
}

/** A value as the Parquet reader gives it. */
export type ReadValue = bigint | number | string | Date | null;
export type ReadRow = Readonly<Record<string, ReadValue>>;

/** One file of the target, opened to be read in parts. */
export class ParquetSource {
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;

  private constructor(file: AsyncBuffer, metadata: FileMetaData) {
    this.#file = file;
    this.#metadata = metadata;
  }

  static async open(target: ExportTarget, path: string): Promise<ParquetSource> {
    const file = await openFile(target, path);
    return new ParquetSource(file, await parquetMetadataAsync(file));
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
    const rows = await parquetReadObjects({
      file: this.#file,
      metadata: this.#metadata,
      rowStart,
      rowEnd,
      ...(columns === undefined ? {} : { columns }),
    });
    return rows as readonly ReadRow[];
  }
}
