import { createHash } from "node:crypto";
import { z } from "zod";
import { ARCHIVE_SOURCES, type RowsDigest } from "../../db/queries/read-archive.ts";
import { EXPORT_COLUMNS } from "./columns.ts";
import { manifestPath, partPath } from "./partition-path.ts";

const digits = z.string().regex(/^-?\d{1,19}$/);
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().min(0);

/** One file of a day. `path` is from the root of the target. */
const fileSchema = z.strictObject({
  path: z.string().min(1),
  /** The type of all its rows; null for attempts, whose rows name theirs. */
  eventType: z.string().nullable(),
  rows: count,
  bytes: count,
  idMin: digits,
  idMax: digits,
  idXor: digits,
  sha256,
  /** The last row in the order of the walk, where the next file begins. */
  last: z.strictObject({ id: digits, archivedAt: z.iso.datetime() }),
});
export type ManifestFile = z.infer<typeof fileSchema>;

const manifestSchema = z.strictObject({
  format: z.literal(1),
  source: z.enum(ARCHIVE_SOURCES),
  day,
  rows: count,
  idMin: digits.nullable(),
  idMax: digits.nullable(),
  idXor: digits,
  compression: z.literal("SNAPPY"),
  columns: z.array(z.strictObject({ name: z.string(), kind: z.string(), isNullable: z.boolean() })),
  files: z.array(fileSchema),
});

/** All files of one day of one source. It is written last: a day that has one is complete. */
export type Manifest = z.infer<typeof manifestSchema>;

/** A manifest as it lies in a target, known by the checksum of its bytes. */
export interface StoredManifest {
  readonly manifest: Manifest;
  readonly sha256: string;
}

/** A manifest that cannot be understood. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
  readonly code = "EXPORT_MANIFEST_INVALID";
}

/** The manifest of a day whose files are these. */
export function manifestOf(source: Manifest["source"], date: string, files: readonly ManifestFile[]): Manifest {
  return {
    format: 1,
    source,
    day: date,
    ...digestOf(files),
    compression: "SNAPPY",
    columns: EXPORT_COLUMNS[source].map(({ name, kind, isNullable }) => ({ name, kind, isNullable })),
    files: [...files],
  };
}

/** The digest of all rows of some files together. */
export function digestOf(files: readonly Pick<ManifestFile, "rows" | "idMin" | "idMax" | "idXor">[]): RowsDigest {
  const ids = files.flatMap(({ idMin, idMax }) => [BigInt(idMin), BigInt(idMax)]);
  const [first] = ids;
  return {
    rows: files.reduce((sum, file) => sum + file.rows, 0),
    idMin: first === undefined ? null : ids.reduce((low, id) => (id < low ? id : low), first).toString(),
    idMax: first === undefined ? null : ids.reduce((high, id) => (id > high ? id : high), first).toString(),
    idXor: files.reduce((bits, file) => bits ^ BigInt(file.idXor), 0n).toString(),
  };
}

export const sameDigest = (one: RowsDigest, other: RowsDigest): boolean =>
  one.rows === other.rows && one.idMin === other.idMin && one.idMax === other.idMax && one.idXor === other.idXor;

export function encodeManifest(manifest: Manifest): Uint8Array {
  return Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
}

/** @throws ManifestError naming the file if it is none, is that of another day, or does not agree with itself. */
export function decodeManifest(bytes: Uint8Array, path: string): StoredManifest {
  const manifest = decode(manifestSchema, bytes, path);
  const { source, day: date, files } = manifest;
  if (path !== manifestPath(source, date)) throw new ManifestError(`${path} is the manifest of ${source} of ${date}`);
  const stray = files.find((file) => file.path !== placeOf(source, date, file));
  if (stray) throw new ManifestError(`${path} names the file ${stray.path}, which is not one of its day and type`);
  if (!sameDigest(manifest, digestOf(files))) throw new ManifestError(`${path} counts other rows than its files hold`);
  return { manifest, sha256: sha256Of(bytes) };
}

/** Where a file of this day and type stands that has this one's number. */
function placeOf(source: Manifest["source"], date: string, { path, eventType }: ManifestFile): string {
  return partPath(source, date, eventType ?? undefined, Number(/(\d{5,})\.parquet$/.exec(path)?.[1] ?? 0));
}

const digestSchema = z.strictObject({ rows: count, idMin: digits.nullable(), idMax: digits.nullable(), idXor: digits });

/** What is finished of a day that is being exported, and the rows that the whole day had when that began. */
const progressSchema = z.strictObject({ format: z.literal(1), day: digestSchema, files: z.array(fileSchema) });

export function encodeProgress(dayDigest: RowsDigest, files: readonly ManifestFile[]): Uint8Array {
  return Buffer.from(JSON.stringify({ format: 1, day: dayDigest, files }));
}

/** The finished files of this very set of rows; none if it is of others or cannot be read: the day then begins anew. */
export function decodeProgress(bytes: Uint8Array | undefined, dayDigest: RowsDigest): ManifestFile[] {
  if (!bytes) return [];
  try {
    const progress = progressSchema.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
    return sameDigest(progress.day, dayDigest) ? progress.files : [];
  } catch {
    return [];
  }
}

function decode<Schema extends z.ZodType>(schema: Schema, bytes: Uint8Array, path: string): z.infer<Schema> {
  try {
    return schema.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  } catch (error) {
    throw new ManifestError(`${path} is not a manifest of this program: ${(error as Error).message}`, { cause: error });
  }
}

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
