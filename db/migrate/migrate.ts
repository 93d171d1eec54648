import type { ConnectionSettings } from "../connection-options.ts";
import { SessionZone } from "../session-zone.ts";
import { type AdoptionNote, createOrAdopt } from "./adopt-table.ts";
import { type MigrationConnection, openMigrationConnection } from "./migration-connection.ts";
import { type Migration, forServer, knownMigrations } from "./migration-files.ts";
import { assertLockHeld, takeMigrationLock } from "./migration-lock.ts";
import {
  type MigrationRecord,
  ensureMigrationTable,
  readMigrationRecords,
  recordBegin,
  recordDone,
  recordStep,
} from "./migration-table.ts";
import { planPending } from "./plan-migrations.ts";
import { firstLine, runDdl } from "./run-ddl.ts";

export interface MigrateOptions {
  /** Fixed offset in which `started_time` and `finished_time` are written. Default +00:00. */
  readonly zone?: SessionZone;
  /** Longest wait for another process that is migrating, in whole seconds. Default 60. */
  readonly lockWaitSeconds?: number;
  /** Longest wait of one DDL statement for its table, in whole seconds; business statements queue that long. Default 3. */
  readonly ddlWaitSeconds?: number;
  /** How often a DDL statement that found its table in use is tried. Default 10. */
  readonly ddlTries?: number;
  /** Told of every statement before it runs. */
  readonly onStep?: (step: MigrationStep) => void;
}

export interface MigrationStep {
  readonly version: number;
  readonly name: string;
  /** Place of the statement in its migration, from 1. */
  readonly step: number;
  readonly steps: number;
  /** First line of the statement. */
  readonly statement: string;
}

export interface MigrateResult {
  /** The migrations that this call finished; empty if there was nothing to do. */
  readonly applied: readonly { readonly version: number; readonly name: string }[];
  /** What a person should know about a table that was adopted in place. */
  readonly notes: readonly AdoptionNote[];
}

/**
 * A statement of a migration failed. `cause` is the database's error or a DdlBlockedError; the steps before it are kept,
 * and the next call goes on with this one.
 */
export class MigrationStepError extends Error {
  override readonly name = "MigrationStepError";
  readonly code = "MIGRATION_FAILED";
}

/**
 * Brings the schema of a database up to this program's version. Safe to call from any number of processes at once: one
 * migrates, the others wait and find nothing to do. Safe to kill: the next call resumes at the statement that was cut off.
 * @throws MigrationLockError, SchemaHistoryError (newer schema, edited migration), AdoptionError, MigrationStepError.
 */
export async function migrate(settings: ConnectionSettings, options: MigrateOptions = {}): Promise<MigrateResult> {
  return applyMigrations(settings, await knownMigrations(), options);
}

/** `migrate` with a given list of migrations. */
export async function applyMigrations(
  settings: ConnectionSettings,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<MigrateResult> {
  const zone = options.zone ?? SessionZone.utc;
  const lockWaitSeconds = options.lockWaitSeconds ?? 60;
  const holder = await openMigrationConnection(settings, zone, lockWaitSeconds);
  try {
    await takeMigrationLock(holder, lockWaitSeconds);
    const worker = await openMigrationConnection(settings, zone, options.ddlWaitSeconds ?? 3);
    try {
      return await applyUnderLock(holder, worker, migrations, options);
    } finally {
      await worker.close();
    }
  } finally {
    await holder.close();
  }
}

async function applyUnderLock(
  holder: MigrationConnection,
  worker: MigrationConnection,
  migrations: readonly Migration[],
  options: MigrateOptions,
): Promise<MigrateResult> {
  const records = await readMigrationRecords(worker.session);
  await planPending(worker.session, worker.kind, migrations, records);
  await ensureMigrationTable(worker.session, worker.kind);
  const applied: { version: number; name: string }[] = [];
  const notes: AdoptionNote[] = [];
  for (const migration of migrations) {
    const record = records.find((candidate) => candidate.version === migration.version);
    if (record?.isDone) continue;
    notes.push(...(await applyOne(holder, worker, migration, record, options)));
    applied.push({ version: migration.version, name: migration.name });
  }
  return { applied, notes };
}

async function applyOne(
  holder: MigrationConnection,
  { session, kind }: MigrationConnection,
  migration: Migration,
  record: MigrationRecord | undefined,
  options: MigrateOptions,
): Promise<AdoptionNote[]> {
  if (!record) await recordBegin(session, migration);
  const notes: AdoptionNote[] = [];
  const firstStep = record?.stepsDone ?? 0;
  for (const [index, template] of migration.statements.entries()) {
    if (index < firstStep) continue;
    const adoption = await createOrAdopt(session, kind, forServer(template, kind));
    notes.push(...adoption.notes);
    for (const statement of adoption.statements) {
      await assertLockHeld(holder);
      options.onStep?.({
        version: migration.version,
        name: migration.name,
        step: index + 1,
        steps: migration.statements.length,
        statement: firstLine(statement),
      });
      const mayBeApplied = record !== undefined && index === firstStep;
      try {
        await runDdl(session, statement, options.ddlTries ?? 10);
      } catch (error) {
        if (mayBeApplied && saysAlreadyApplied(error)) continue;
        throw new MigrationStepError(
          `migration ${migration.version} (${migration.name}), step ${index + 1} of ${migration.statements.length}, ${firstLine(statement)}: ${error instanceof Error ? error.message : String(error)}`,
          { cause: error },
        );
      }
    }
    await recordStep(session, migration.version, index + 1);
  }
  await recordDone(session, migration.version);
  return notes;
}

/** Table, column or index exists already, or the thing to drop is gone: what a re-run of an applied statement answers. */
const ALREADY_APPLIED: ReadonlySet<number> = new Set([1050, 1060, 1061, 1091]);

function saysAlreadyApplied(error: unknown): boolean {
  const { errno } = error as { errno?: number };
  return errno !== undefined && ALREADY_APPLIED.has(errno);
}
