import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ARCHIVE_SOURCES, type ArchiveSource } from "../../db/queries/read-archive.ts";
import { ScratchFolder } from "../testing/history-run.ts";
import { hostileText } from "../testing/hostile-text.ts";
import { type ColumnKind, EXPORT_COLUMNS, type ParquetValue } from "./columns.ts";
import { ParquetSource } from "./parquet-reader.ts";
import { ParquetFile } from "./parquet-writer.ts";

/** REDRIVE_FUZZ_RUNS and REDRIVE_FUZZ_SEED: more of it, or another. */
const numRuns = Number(process.env["REDRIVE_FUZZ_RUNS"] ?? 25);
const seed = Number(process.env["REDRIVE_FUZZ_SEED"] ?? 3);

const [INT64_MIN, INT64_MAX] = [-(2n ** 63n), 2n ** 63n - 1n];
const at = (text: string) => BigInt(Date.parse(text));

const VALUES: Readonly<Record<ColumnKind, fc.Arbitrary<ParquetValue>>> = {
  int64: fc.oneof(
    fc.constantFrom(INT64_MIN, INT64_MAX, 0n, -1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 1970670598291982290n),
    fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
    fc.bigInt({ min: 0n, max: 3n }),
  ),
  int32: fc.oneof(fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 0, -1), fc.integer(), fc.integer({ min: 0, max: 3 })),
  instant: fc.oneof(
    fc.constantFrom(
      at("1000-01-01T00:00:00.000Z"),
      at("1969-12-31T23:59:59.999Z"),
      0n,
      at("2038-01-19T03:14:07.999Z"),
      at("2038-01-19T03:14:08.000Z"),
      at("9999-12-31T23:59:59.999Z"),
    ),
    fc.bigInt({ min: at("2026-01-01T00:00:00.000Z"), max: at("2027-01-01T00:00:00.000Z") }),
    fc.bigInt({ min: at("1000-01-01T00:00:00.000Z"), max: at("9999-12-31T23:59:59.999Z") }),
  ),
  text: fc.oneof(
    { weight: 6, arbitrary: hostileText(60) },
    { weight: 2, arbitrary: fc.constantFrom("", "\0", "a\0b", "PAY", '{"orderId":1970670598291982290}') },
    // Halves of characters, which JavaScript can hold and UTF-8 cannot.
    { weight: 1, arbitrary: fc.constantFrom("\ud800", "x\udc00y", "\udc00\ud800", "ok\ud83d") },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 9 }), fc.integer({ min: 1, max: 5_000 }))
        .map(([unit, times]) => unit.repeat(times)),
    },
    // No two bytes of it repeat, so that compressing makes it larger.
    {
      weight: 1,
      arbitrary: fc
        .uint8Array({ minLength: 500, maxLength: 3_000 })
        .map((bytes) => Buffer.from(bytes).toString("latin1")),
    },
  ),
};

/** Row groups of a file, each column by column as the writer takes them. */
const groups = (source: ArchiveSource) =>
  fc.array(
    fc.integer({ min: 1, max: 40 }).chain((rows) =>
      fc.tuple(
        ...EXPORT_COLUMNS[source].map(({ kind, isNullable }) => {
          const value = isNullable ? fc.oneof(fc.constant(null), VALUES[kind]) : VALUES[kind];
          return fc.oneof(
            { weight: 4, arbitrary: fc.array(value, { minLength: rows, maxLength: rows }) },
            // A column of one value, of nulls alone at times: what dictionaries and statistics trip over.
            { weight: 1, arbitrary: value.map((one) => Array.from({ length: rows }, () => one)) },
          );
        }),
      ),
    ),
    { minLength: 0, maxLength: 3 },
  );

let folder: ScratchFolder;
let duck: DuckDBConnection;
beforeAll(async () => {
  folder = new ScratchFolder();
  duck = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
});
afterAll(() => {
  duck.closeSync();
  folder.remove();
});

async function write(path: string, source: ArchiveSource, written: readonly (readonly (readonly ParquetValue[])[])[]) {
  const file = new ParquetFile(EXPORT_COLUMNS[source], await folder.target.create(path));
  for (const group of written) await file.writeGroup(group);
  return file.finish();
}

/** Values as texts, instants as milliseconds: how both readers' rows are compared. */
const textOf = (value: unknown): string | null => {
  if (value === null || value === undefined) return null;
  return value instanceof Date ? String(value.getTime()) : String(value).toWellFormed();
};

async function readByDuck(path: string, source: ArchiveSource): Promise<unknown[][]> {
  const columns = EXPORT_COLUMNS[source].map(({ name, kind }) =>
    kind === "instant" ? `epoch_ms(${name})::VARCHAR` : `${name}::VARCHAR`,
  );
  const reader = await duck.runAndReadAll(
    `SELECT ${columns.join(", ")} FROM read_parquet('${folder.path}/${path}', file_row_number = true) ORDER BY file_row_number`,
  );
  return reader.getRowsJson() as unknown[][];
}

async function readByOurselves(path: string, source: ArchiveSource): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const some of (await ParquetSource.open(folder.target, path)).read()) {
    rows.push(...some.map((row) => EXPORT_COLUMNS[source].map(({ name }) => textOf(row[name]))));
  }
  return rows;
}

describe.each(ARCHIVE_SOURCES)("a file of %s", (source) => {
  it("P2: gives every value back, to an engine that shares no code with the writer and to our own reader", async () => {
    await fc.assert(
      fc.asyncProperty(groups(source), async (written) => {
        await write("fuzz.parquet", source, written);
        const expected = written.flatMap((group) =>
          (group[0] ?? []).map((_, row) => group.map((values) => textOf(values[row]))),
        );
        expect(await readByDuck("fuzz.parquet", source)).toEqual(expected);
        expect(await readByOurselves("fuzz.parquet", source)).toEqual(expected);
      }),
      { numRuns, seed },
    );
  });

  it("declares instants as UTC in milliseconds and text as UTF-8, and compresses by Snappy", async () => {
    const [group = []] =
      fc.sample(
        groups(source).filter((some) => some.length > 0),
        { numRuns: 1, seed },
      )[0] ?? [];
    await write("types.parquet", source, [group]);
    const schema = await duck.runAndReadAll(
      `SELECT name, type, repetition_type, converted_type, logical_type::VARCHAR AS logical FROM parquet_schema('${folder.path}/types.parquet') WHERE num_children IS NULL`,
    );
    const instant = {
      type: "INT64",
      converted_type: "TIMESTAMP_MILLIS",
      logical: expect.stringMatching(/isAdjustedToUTC=1.*MILLIS/),
    };
    const DECLARED = {
      int64: { type: "INT64", converted_type: null, logical: null },
      int32: { type: "INT32", converted_type: null, logical: null },
      instant,
      text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical: "StringType()" },
    };
    expect(schema.getRowObjectsJson()).toEqual(
      EXPORT_COLUMNS[source].map(({ name, kind, isNullable }) => ({
        name,
        repetition_type: isNullable ? "OPTIONAL" : "REQUIRED",
        ...DECLARED[kind],
      })),
    );
    const codecs = await duck.runAndReadAll(
      `SELECT DISTINCT compression AS codec FROM parquet_metadata('${folder.path}/types.parquet')`,
    );
    expect(codecs.getRowObjectsJson()).toEqual([{ codec: "SNAPPY" }]);
  });
});

it("keeps the largest payload that a column holds", async () => {
  const [payload, error] = ["é😀\0x".repeat(2_097_151), "x".repeat(65_535)];
  const group = EXPORT_COLUMNS.tasks.map(({ name, kind, isNullable }): ParquetValue[] => {
    if (name === "biz_context") return [payload];
    if (name === "last_error") return [error];
    return [isNullable ? null : kind === "text" ? "" : kind === "int32" ? 0 : 0n];
  });
  const { bytes } = await write("huge.parquet", "tasks", [group]);
  expect(bytes).toBeLessThan(2_000_000);
  const read = await duck.runAndReadAll(
    `SELECT md5(biz_context) AS sum, strlen(biz_context)::INTEGER AS size, length(last_error)::INTEGER AS error FROM '${folder.path}/huge.parquet'`,
  );
  const sum = createHash("md5").update(payload).digest("hex");
  expect(read.getRowObjectsJson()).toEqual([{ sum, size: 16_777_208, error: 65_535 }]);
  const [row] = await (await ParquetSource.open(folder.target, "huge.parquet")).find("id", 0n);
  expect(row?.["biz_context"] === payload).toBe(true);
});

it("refuses a number that its column cannot hold, rather than another one", async () => {
  const at = (name: string) => EXPORT_COLUMNS.tasks.findIndex((column) => column.name === name);
  const [row = []] =
    fc.sample(
      groups("tasks").filter((some) => some.length > 0),
      { numRuns: 1, seed },
    )[0] ?? [];
  for (const [name, value] of [
    ["id", 2n ** 63n],
    ["claim_no", 2 ** 31],
    ["status", 1.5],
  ] as const) {
    const group = row.map((values, index) => (index === at(name) ? values.map(() => value) : values));
    await expect(write("refused.parquet", "tasks", [group])).rejects.toThrow(/range|int32|integer/);
  }
});

describe("a file that is not what it should be", () => {
  const path = "damaged.parquet";
  const place = () => join(folder.path, path);

  it("is told by its name, or read as somebody wrote it, but ends nothing", async () => {
    const [written = []] = fc.sample(
      groups("tasks").filter((some) => some.length > 1),
      { numRuns: 1, seed },
    );
    await write("whole.parquet", "tasks", written);
    const whole = readFileSync(join(folder.path, "whole.parquet"));
    const spot = fc.nat({ max: whole.length - 1 });
    const damaged = fc.oneof(
      spot.map((length) => whole.subarray(0, length)),
      fc.tuple(spot, fc.nat({ max: 7 })).map(([index, bit]) => {
        const bytes = Buffer.from(whole);
        bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
        return bytes;
      }),
      // The footer and its length decide what is read where.
      fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 255 })).map(([fromEnd, value]) => {
        const bytes = Buffer.from(whole);
        bytes[Math.max(0, bytes.length - 1 - fromEnd)] = value;
        return bytes;
      }),
      fc.constantFrom(
        Buffer.alloc(0),
        Buffer.from("PAR1"),
        Buffer.from("PAR1PAR1"),
        Buffer.from("{}"),
        Buffer.alloc(5_000, 0xff),
      ),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(damaged, async (bytes) => {
        writeFileSync(place(), bytes);
        try {
          const parquet = await ParquetSource.open(folder.target, path);
          for await (const rows of parquet.read()) void rows;
          await parquet.find("id", 7n);
        } catch (error) {
          expect((error as Error).message).toContain(`${folder.target.name}/${path}`);
        }
      }),
      { numRuns: numRuns * 5, seed },
    );
  });

  it("is told by its name when it is a folder or not there", async () => {
    rmSync(place(), { force: true });
    await expect(ParquetSource.open(folder.target, path)).rejects.toThrow(
      `${folder.target.name}/${path} does not exist`,
    );
    mkdirSync(place());
    await expect(ParquetSource.open(folder.target, path)).rejects.toThrow(
      `${folder.target.name}/${path} does not exist`,
    );
    await expect(folder.target.get(path)).rejects.toThrow(`${folder.target.name}/${path} is a folder`);
    rmSync(place(), { recursive: true });
  });
});
