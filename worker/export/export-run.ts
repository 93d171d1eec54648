import type { Database } from "../../db/client.ts";
import { isOutage } from "../../db/mysql-errors.ts";
import {
  type ExportRecord,
  hasPurgeBegun,
  listExports,
  markUnverified,
  markVerified,
  recordExport,
} from "../../db/queries/exports.ts";
import { ARCHIVE_SOURCES, type ArchiveSource, digestDay } from "../../db/queries/read-archive.ts";
import { DAY_SETTLE_MS, readArchiveDays } from "./closed-days.ts";
import { EXPORT_LIMITS, exportDay, type ExportLimits } from "./export-day.ts";
import { decodeManifest, ManifestError, sameDigest, type StoredManifest } from "./manifest.ts";
import { manifestPath, progressPath } from "./partition-path.ts";
import { type RunLease, RunStoppedError } from "./run-lease.ts";
import type { ExportStep, OnStep } from "./steps.ts";
import { type ExportTarget, TargetError } from "./target.ts";
import { verifyFiles } from "./verify-day.ts";

export interface DayOutcome {
  readonly day: string;
  readonly source: ArchiveSource;
  readonly what: "exported" | "verified" | "skipped" | "failed";
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  /** Why it failed; undefined otherwise. */
  readonly problem?: string;
}

export interface ExportProgress {
  readonly day: string;
  readonly source: ArchiveSource;
  readonly phase: "writing" | "verifying";
  readonly rows: number;
  readonly totalRows: number;
  /** Of all days of this run. */
  readonly dayNumber: number;
  readonly days: number;
}

export interface ExportRunParts {
  readonly database: Database;
  readonly target: ExportTarget;
  readonly lease: RunLease;
  /** Only this day. */
  readonly day?: string | undefined;
  /** Days that are verified already are read back again, purged ones too. */
  readonly verifyAll?: boolean;
  /** Writes days again whatever the target holds of them. */
  readonly again?: boolean;
  readonly limits?: ExportLimits;
  readonly settleMs?: number;
  readonly onStep?: OnStep<ExportStep>;
  readonly onProgress?: (progress: ExportProgress) => void;
  readonly onOutcome?: (outcome: DayOutcome) => void;
}

export interface ExportReport {
  readonly outcomes: readonly DayOutcome[];
  /** Why the run ended before its end; undefined if it did not. */
  readonly stopped: RunStoppedError | undefined;
}

/** What a run would do with a day. */
export interface PlannedDay {
  readonly day: string;
  readonly source: ArchiveSource;
  readonly what: "export" | "verify" | "nothing";
  readonly rows: number;
}

/** Reads what a run would do; changes nothing, here or there. */
export async function planExport(
  parts: Pick<ExportRunParts, "database" | "target" | "day" | "settleMs">,
): Promise<PlannedDay[]> {
  const { database, target } = parts;
  const { closed } = await readArchiveDays(database, parts.settleMs);
  const records = await database.use((session) => listExports(session, target.name));
  const planned: PlannedDay[] = [];
  for (const day of closed.filter((one) => (parts.day ?? one) === one)) {
    for (const source of ARCHIVE_SOURCES) {
      const record = records.find((one) => one.day === day && one.source === source);
      const isThere = (await target.size(manifestPath(source, day))) !== undefined;
      const what = record?.hasPurgeBegun || (record?.isVerified && isThere) ? "nothing" : isThere ? "verify" : "export";
      const { rows } = await database.use((session) => digestDay(session, source, day));
      planned.push({ day, source, what, rows });
    }
  }
  return planned;
}

/**
 * Exports and verifies every day that is over, oldest first. A day that cannot be done is reported and the next one is
 * tried; an outage of the database or a target that does not answer ends the run by its error.
 */
export async function runExport(parts: ExportRunParts): Promise<ExportReport> {
  const { database, target, lease } = parts;
  const outcomes: DayOutcome[] = [];
  try {
    await lease.checkpoint();
    const { closed } = await readArchiveDays(database, parts.settleMs ?? DAY_SETTLE_MS);
    const records = await database.use((session) => listExports(session, target.name));
    const known = parts.verifyAll ? records.map(({ day }) => day) : [];
    const days = [...new Set([...closed, ...known])].filter((day) => (parts.day ?? day) === day).sort();
    for (const [index, day] of days.entries()) {
      for (const source of ARCHIVE_SOURCES) {
        await lease.checkpoint();
        const record = records.find((one) => one.day === day && one.source === source);
        const place = { dayNumber: index + 1, days: days.length };
        const outcome = await new DayRun(parts, source, day, record, place).run();
        outcomes.push(outcome);
        parts.onOutcome?.(outcome);
      }
    }
    return { outcomes, stopped: undefined };
  } catch (error) {
    if (error instanceof RunStoppedError) return { outcomes, stopped: error };
    throw error;
  }
}

class DayRun {
  readonly #parts: ExportRunParts;
  readonly #source: ArchiveSource;
  readonly #day: string;
  readonly #record: ExportRecord | undefined;
  readonly #place: { readonly dayNumber: number; readonly days: number };
  readonly #onStep: OnStep<ExportStep>;

  constructor(
    parts: ExportRunParts,
    source: ArchiveSource,
    day: string,
    record: ExportRecord | undefined,
    place: { readonly dayNumber: number; readonly days: number },
  ) {
    this.#parts = parts;
    this.#source = source;
    this.#day = day;
    this.#record = record;
    this.#place = place;
    this.#onStep = parts.onStep ?? (() => undefined);
  }

  async run(): Promise<DayOutcome> {
    try {
      return await this.#exportOrVerify();
    } catch (error) {
      const isFatal = error instanceof RunStoppedError || isOutage(error);
      if (isFatal || (error instanceof TargetError && error.code === "EXPORT_TARGET_UNAVAILABLE")) throw error;
      return this.#outcome("failed", undefined, (error as Error).message);
    }
  }

  async #exportOrVerify(): Promise<DayOutcome> {
    const { database, target, verifyAll, again } = this.#parts;
    const record = this.#record;
    if (record?.isVerified && !record.hasPurgeBegun && !verifyAll && !again) {
      const isThere = (await target.size(manifestPath(this.#source, this.#day))) !== undefined;
      if (isThere) return this.#outcome("skipped", undefined);
    }
    const isPurged = await database.use((session) => hasPurgeBegun(session, this.#day));
    const manifest = await this.#readManifest(isPurged);
    if (isPurged) return this.#checkPurged(manifest);
    if (manifest && !again) {
      if (await this.#isCurrent(manifest)) {
        if (!this.#isRecorded(manifest)) await this.#recordManifest(manifest);
        const problems = await this.#verify(manifest);
        if (problems.length === 0) return this.#outcome("verified", manifest);
        // The rows are all still here: what the target spoiled is written anew.
      } else if (!this.#isRecorded(manifest)) {
        const problem = `the target holds another ${this.#day}: of another database, or this one has lost its records of it; look at it, and write the day again with --again`;
        return this.#outcome("failed", manifest, problem);
      }
    }
    return this.#exportAndVerify();
  }

  async #exportAndVerify(): Promise<DayOutcome> {
    const { database, target, lease, limits = EXPORT_LIMITS } = this.#parts;
    const manifest = await exportDay(
      {
        database,
        target,
        limits,
        checkpoint: lease.checkpoint,
        onStep: this.#onStep,
        onRows: (rows, totalRows) => this.#progress("writing", rows, totalRows),
      },
      this.#source,
      this.#day,
    );
    await this.#recordManifest(manifest);
    const problems = await this.#verify(manifest);
    if (problems.length === 0) return this.#outcome("exported", manifest);
    return this.#outcome("failed", manifest, `what was written cannot be read back: ${problems.join("; ")}`);
  }

  /** A day of which rows are gone from here is never written again; its files are all there is. */
  async #checkPurged(manifest: StoredManifest | undefined): Promise<DayOutcome> {
    const isMine = this.#record !== undefined;
    if (!isMine) return this.#outcome("skipped", manifest);
    if (!manifest || !this.#isRecorded(manifest)) {
      await this.#unverify();
      const problem = `the manifest of a purged day ${manifest ? "was replaced" : "is missing"}: bring ${manifestPath(this.#source, this.#day)} and its files back from a backup of the target`;
      return this.#outcome("failed", manifest, problem);
    }
    if (!this.#parts.verifyAll) return this.#outcome("skipped", manifest);
    const problems = await this.#verify(manifest);
    return problems.length === 0
      ? this.#outcome("verified", manifest)
      : this.#outcome("failed", manifest, `files of a purged day are not what they were: ${problems.join("; ")}`);
  }

  async #verify({ manifest, sha256 }: StoredManifest): Promise<string[]> {
    const { database, target, lease } = this.#parts;
    await target.remove(progressPath(this.#source, this.#day));
    await this.#onStep("progress_removed");
    this.#progress("verifying", manifest.rows, manifest.rows);
    const problems = await verifyFiles(target, manifest, lease.checkpoint);
    await this.#onStep("verified");
    if (problems.length > 0) await this.#unverify();
    else await database.use((session) => markVerified(session, this.#key, sha256));
    await this.#onStep("marked_verified");
    return problems;
  }

  async #recordManifest({ manifest, sha256 }: StoredManifest): Promise<void> {
    await this.#parts.database.use((session) => recordExport(session, this.#key, manifest, sha256));
    await this.#onStep("recorded");
  }

  /** One that cannot be read counts as none where it is known to be ours and all rows are here to write the day anew. */
  async #readManifest(isPurged: boolean): Promise<StoredManifest | undefined> {
    const path = manifestPath(this.#source, this.#day);
    const bytes = await this.#parts.target.get(path);
    try {
      return bytes && decodeManifest(bytes, path);
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      if (isPurged) {
        await this.#unverify();
        throw new ManifestError(`${error.message}; bring it back from a backup of the target`, { cause: error });
      }
      if (this.#record !== undefined || this.#parts.again) return undefined;
      throw new ManifestError(`${error.message}; look at it, and write the day again with --again`, { cause: error });
    }
  }

  /** Whether the files hold exactly what the archive holds. */
  async #isCurrent({ manifest }: StoredManifest): Promise<boolean> {
    const stored = await this.#parts.database.use((session) => digestDay(session, this.#source, this.#day));
    return sameDigest(manifest, stored);
  }

  #isRecorded({ sha256 }: StoredManifest): boolean {
    return this.#record?.manifestSha256 === sha256;
  }

  async #unverify(): Promise<void> {
    await this.#parts.database.use((session) => markUnverified(session, this.#key));
  }

  get #key() {
    return { target: this.#parts.target.name, day: this.#day, source: this.#source };
  }

  #progress(phase: ExportProgress["phase"], rows: number, totalRows: number): void {
    this.#parts.onProgress?.({ day: this.#day, source: this.#source, phase, rows, totalRows, ...this.#place });
  }

  #outcome(what: DayOutcome["what"], stored: StoredManifest | undefined, problem?: string): DayOutcome {
    return {
      day: this.#day,
      source: this.#source,
      what,
      rows: stored?.manifest.rows ?? this.#record?.rowCount ?? 0,
      files: stored?.manifest.files.length ?? 0,
      bytes: stored?.manifest.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0,
      ...(problem === undefined ? {} : { problem }),
    };
  }
}
