import { createHash } from "node:crypto";
import type { ArchiveSource } from "../../db/queries/read-archive.ts";

/** What Hive, Spark, Trino and DuckDB read as NULL; here: an event type without a name. */
const HIVE_NULL = "__HIVE_DEFAULT_PARTITION__";
/** File systems take 255 bytes per name. */
const NAME_BYTES_MAX = 240;

// The characters that Hive escapes in the name of a partition (FileUtils.escapePathName), and NUL.
const ESCAPED = /[\u0000-\u001f"#%'*/:=?\\\u007f{[\]^]/g;

/** An event type as part of a folder's name, exactly as Hive writes it; every reader of the Hive layout undoes it. */
export function escapePartitionValue(value: string): string {
  if (value === "") return HIVE_NULL;
  // A type that is really called so: its first character escaped is read back as itself, and not as NULL.
  if (value === HIVE_NULL) return `%5F${value.slice(1)}`;
  const escaped = value.replace(ESCAPED, (character) => percent(character));
  if (Buffer.byteLength(escaped) <= NAME_BYTES_MAX) return escaped;
  // Only 64 characters outside the basic plane come here. The manifest keeps the type; the folder keeps its beginning.
  const head = [...value]
    .slice(0, 32)
    .join("")
    .replace(ESCAPED, (character) => percent(character));
  return `${head}~${typeHash(value)}`;
}

const percent = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

/** Tells apart types whose folders a file system takes for one (PAY and pay on a Mac): part of each file's name. */
function typeHash(eventType: string): string {
  return createHash("sha256").update(eventType).digest("hex").slice(0, 8);
}

/** The folder of a day, from the root of the target. */
export function dayFolder(source: ArchiveSource, day: string): string {
  return `${source}/dt=${day}`;
}

/** The folder of the files of a day (and type), from the root of the target. */
export function fileFolder(source: ArchiveSource, day: string, eventType: string | undefined): string {
  const folder = dayFolder(source, day);
  return eventType === undefined ? folder : `${folder}/event_type=${escapePartitionValue(eventType)}`;
}

/** The n-th file of a day (and type), from the root of the target. */
export function partPath(source: ArchiveSource, day: string, eventType: string | undefined, index: number): string {
  const number = String(index).padStart(5, "0");
  const name = eventType === undefined ? `part-${number}` : `part-${typeHash(eventType)}-${number}`;
  return `${fileFolder(source, day, eventType)}/${name}.parquet`;
}

/** Readers of the Hive layout pass over names that begin with an underscore. */
export const manifestPath = (source: ArchiveSource, day: string) => `${dayFolder(source, day)}/_manifest-${day}.json`;
export const progressPath = (source: ArchiveSource, day: string) => `${dayFolder(source, day)}/_progress-${day}.json`;
