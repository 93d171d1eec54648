import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import { systemClock } from "../engine/clock.ts";
import { EXPORT_LIMITS, type ExportLimits } from "../export/export-day.ts";
import { type ExportReport, type ExportRunParts, runExport } from "../export/export-run.ts";
import { LocalTarget } from "../export/local-target.ts";
import { type PurgeReport, type PurgeRunParts, runPurge } from "../export/purge-run.ts";
import { RunLease } from "../export/run-lease.ts";
import type { ExportTarget } from "../export/target.ts";

/** So small that a few rows make several pages, row groups and files. */
export const SMALL_LIMITS: ExportLimits = { ...EXPORT_LIMITS, pageRows: 2, groupRows: 3, fileRows: 5 };

/** A folder that is removed at the end of a test file. */
export class ScratchFolder {
  readonly path = mkdtempSync(join(tmpdir(), "redrive-export-"));
  readonly target = new LocalTarget(this.path);

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function testLease(
  { database }: Pick<TestDatabase, "database">,
  signal = new AbortController().signal,
): RunLease {
  return new RunLease({ database, owner: "test", clock: systemClock, signal });
}

export function exportAll(
  test: TestDatabase,
  target: ExportTarget,
  parts: Partial<ExportRunParts> = {},
): Promise<ExportReport> {
  return runExport({ database: test.database, target, lease: testLease(test), limits: SMALL_LIMITS, ...parts });
}

export function purgeAll(
  test: TestDatabase,
  target: ExportTarget | undefined,
  parts: Partial<PurgeRunParts> = {},
): Promise<PurgeReport> {
  return runPurge({
    database: test.database,
    target,
    requiresExport: true,
    lease: testLease(test),
    clock: systemClock,
    pace: { wait: async () => undefined, moved: () => undefined },
    signal: new AbortController().signal,
    batchRows: 3,
    ...parts,
  });
}
