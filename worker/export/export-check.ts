import type { Database } from "../../db/client.ts";
import { type ExportRecord, listExports } from "../../db/queries/exports.ts";
import { ARCHIVE_SOURCES, type ArchiveSource, digestDay } from "../../db/queries/read-archive.ts";
import { decodeManifest, sameDigest } from "./manifest.ts";
import { manifestPath } from "./partition-path.ts";
import type { ExportTarget } from "./target.ts";
import { findMissingFiles } from "./verify-day.ts";

/**
 * Whether a day may lose rows as far as its export goes: both parts were verified, the manifests are those that were, every
 * file is there with its size, and the archive holds what they hold. Answers the first thing that is not so.
 * @param onChanged told of an export that the archive no longer agrees with
 */
export async function findExportObstacle(
  database: Database,
  target: ExportTarget | undefined,
  day: string,
  onChanged: (record: ExportRecord) => Promise<void>,
): Promise<string | undefined> {
  if (!target) return "no export target is set, and purging requires a verified export";
  const records = await database.use((session) => listExports(session, target.name));
  for (const source of ARCHIVE_SOURCES) {
    const record = records.find((one) => one.day === day && one.source === source);
    const obstacle = await obstacleOf(database, target, source, day, record, onChanged);
    if (obstacle !== undefined) return `${source}: ${obstacle}`;
  }
  return undefined;
}

async function obstacleOf(
  database: Database,
  target: ExportTarget,
  source: ArchiveSource,
  day: string,
  record: ExportRecord | undefined,
  onChanged: (record: ExportRecord) => Promise<void>,
): Promise<string | undefined> {
  if (!record) return `not exported to ${target.name}`;
  if (!record.isVerified) return `the export to ${target.name} is not verified`;
  const path = manifestPath(source, day);
  const bytes = await target.get(path);
  if (!bytes) return `the manifest is gone from ${target.name}`;
  const { manifest, sha256 } = decodeManifest(bytes, path);
  if (sha256 !== record.manifestSha256) return `the manifest in ${target.name} is not the one that was verified`;
  const [problem] = await findMissingFiles(target, manifest);
  if (problem !== undefined) return problem;
  if (record.hasPurgeBegun) return undefined;
  if (sameDigest(manifest, await database.use((session) => digestDay(session, source, day)))) return undefined;
  await onChanged(record);
  return "the archive has changed since the export; the next export writes the day again";
}
