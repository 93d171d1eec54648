import { createHash } from "node:crypto";
import type { Manifest, ManifestFile } from "./manifest.ts";
import { ParquetSource } from "./parquet-reader.ts";
import { type ExportTarget, TargetError } from "./target.ts";

/**
 * Reads every file of a manifest back: its bytes against the checksum, its footer against the number of rows. Answers one
 * line per file that is not as it was written; none: the day is verified.
 */
export async function verifyFiles(
  target: ExportTarget,
  manifest: Manifest,
  checkpoint: () => Promise<void>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const file of manifest.files) {
    const problem = await verifyFile(target, file, checkpoint);
    if (problem !== undefined) problems.push(`${file.path}: ${problem}`);
  }
  return problems;
}

/** What is wrong with one file; undefined: nothing is. */
export async function verifyFile(
  target: ExportTarget,
  file: ManifestFile,
  checkpoint: () => Promise<void>,
): Promise<string | undefined> {
  const size = await target.size(file.path);
  if (size === undefined) return "it is missing";
  if (size !== file.bytes) return `it has ${size} bytes, not ${file.bytes}`;
  const hash = createHash("sha256");
  for await (const chunk of target.read(file.path)) {
    hash.update(chunk);
    await checkpoint();
  }
  if (hash.digest("hex") !== file.sha256) return "its checksum is another one";
  try {
    const { rows } = await ParquetSource.open(target, file.path);
    return rows === file.rows ? undefined : `it holds ${rows} rows, not ${file.rows}`;
  } catch (error) {
    if (error instanceof TargetError && error.code === "EXPORT_FILE_INVALID") return error.message;
    throw error;
  }
}

/** A quick look that costs one question per file: all are there with their size. */
export async function findMissingFiles(target: ExportTarget, manifest: Manifest): Promise<string[]> {
  const problems: string[] = [];
  for (const file of manifest.files) {
    const size = await target.size(file.path);
    if (size !== file.bytes)
      problems.push(
        `${file.path}: ${size === undefined ? "it is missing" : `it has ${size} bytes, not ${file.bytes}`}`,
      );
  }
  return problems;
}
