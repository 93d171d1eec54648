import { createHash } from "node:crypto";
import type { SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { ExportColumn, ParquetValue } from "./columns.ts";
import type { TargetFile } from "./target.ts";

/** One file of Parquet, written row group by row group: no more than one group is ever in memory. */
export class ParquetFile {
  readonly #columns: readonly ExportColumn[];
  readonly #file: TargetFile;
  readonly #bytes = new ByteWriter(1 << 20);
  readonly #parquet: ParquetWriter;
  readonly #hash = createHash("sha256");
  #written = 0;

  constructor(columns: readonly ExportColumn[], file: TargetFile) {
    this.#columns = columns;
    this.#file = file;
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema: parquetSchema(columns),
      codec: "SNAPPY",
      createdBy: "redrive",
    });
  }

  /** Bytes that are out of memory. */
  get bytesWritten(): number {
    return this.#written;
  }

  /** Writes one row group: the values of each column, in the order of the columns, all equally many. */
  async writeGroup(values: readonly (readonly ParquetValue[])[]): Promise<void> {
    const rows = values[0]?.length ?? 0;
    if (rows === 0) return;
    const columnData = this.#columns.map(({ name }, index) => ({ name, data: [...(values[index] ?? [])] }));
    await this.#parquet.write({ columnData, rowGroupSize: rows });
    await this.#drain();
  }

  /** Ends the file and makes it visible. */
  async finish(): Promise<{ readonly bytes: number; readonly sha256: string }> {
    await this.#parquet.finish();
    await this.#drain();
    await this.#file.finish();
    return { bytes: this.#written, sha256: this.#hash.digest("hex") };
  }

  async discard(): Promise<void> {
    await this.#file.discard();
  }

  async #drain(): Promise<void> {
    const chunk = this.#bytes.getBytes();
    this.#hash.update(chunk);
    await this.#file.write(chunk);
    this.#written += chunk.length;
    this.#bytes.index = 0;
  }
}

/** The types of the file format: logical ones for new readers beside the converted ones for old readers. */
function parquetSchema(columns: readonly ExportColumn[]): SchemaElement[] {
  return [{ name: "redrive", num_children: columns.length }, ...columns.map(schemaElement)];
}

function schemaElement({ name, kind, isNullable }: ExportColumn): SchemaElement {
  const base = { name, repetition_type: isNullable ? "OPTIONAL" : "REQUIRED" } as const;
  switch (kind) {
    case "int64":
      return { ...base, type: "INT64" };
    case "int32":
      return { ...base, type: "INT32" };
    case "text":
      return { ...base, type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } };
    case "instant":
      return {
        ...base,
        type: "INT64",
        converted_type: "TIMESTAMP_MILLIS",
        logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
      };
  }
}
