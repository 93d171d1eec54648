import type { ConnectionSettings } from "../connection-options.ts";
import type { ServerKind } from "../server-version.ts";
import type { Session } from "../session.ts";
import { SessionZone } from "../session-zone.ts";
import { type AdoptionNote, createOrAdopt } from "./adopt-table.ts";
import { checkHistory } from "./check-history.ts";
import { openMigrationConnection } from "./migration-connection.ts";
import { type Migration, forServer, knownMigrations } from "./migration-files.ts";
import { type MigrationRecord, readMigrationRecords } from "./migration-table.ts";

/** A migration that is still to run, with the SQL that would be sent now. */
export interface PlannedMigration {
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
  readonly notes: readonly AdoptionNote[];
}

/**
 * What `migrate` would do, in order; empty if the schema is up to date. Writes nothing and takes no lock.
 * @throws SchemaHistoryError, AdoptionError as `migrate` would.
 */
export async function planMigrations(settings: ConnectionSettings): Promise<PlannedMigration[]> {
  const migrations = await knownMigrations();
  const { session, kind, close } = await openMigrationConnection(settings, SessionZone.utc, 3);
  try {
    return await planPending(session, kind, migrations, await readMigrationRecords(session));
  } finally {
    await close();
  }
}

/**
 * What is still to run of `migrations`, given what the database remembers. Only reads.
 * @throws SchemaHistoryError, AdoptionError before anything is changed.
 */
export async function planPending(
  session: Session,
  kind: ServerKind,
  migrations: readonly Migration[],
  records: readonly MigrationRecord[],
): Promise<PlannedMigration[]> {
  checkHistory(records, migrations);
  const plan: PlannedMigration[] = [];
  for (const migration of migrations) {
    const record = records.find((candidate) => candidate.version === migration.version);
    if (record?.isDone) continue;
    const statements: string[] = [];
    const notes: AdoptionNote[] = [];
    for (const template of migration.statements.slice(record?.stepsDone ?? 0)) {
      const adoption = await createOrAdopt(session, kind, forServer(template, kind));
      statements.push(...adoption.statements);
      notes.push(...adoption.notes);
    }
    plan.push({ version: migration.version, name: migration.name, statements, notes });
  }
  return plan;
}
