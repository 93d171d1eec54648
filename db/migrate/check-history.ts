import type { Migration } from "./migration-files.ts";
import type { MigrationRecord } from "./migration-table.ts";

/** The database's history of migrations does not fit this program; nothing was changed. */
export class SchemaHistoryError extends Error {
  override readonly name = "SchemaHistoryError";
  readonly code: "SCHEMA_NEWER" | "MIGRATION_EDITED";

  constructor(code: "SCHEMA_NEWER" | "MIGRATION_EDITED", message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Compares what the database remembers with what this program knows.
 * @throws SchemaHistoryError if the schema is newer than the program, or if an applied migration was edited afterwards.
 */
export function checkHistory(records: readonly MigrationRecord[], migrations: readonly Migration[]): void {
  const known = migrations.at(-1)?.version ?? -1;
  const newest = records.at(-1);
  if (newest && newest.version > known) {
    throw new SchemaHistoryError(
      "SCHEMA_NEWER",
      `the schema is at version ${newest.version} (${newest.name}), this program knows versions up to ${known}; deploy a program that knows version ${newest.version}`,
    );
  }
  for (const record of records) {
    const migration = migrations[record.version];
    if (migration && migration.checksum !== record.checksum) {
      throw new SchemaHistoryError(
        "MIGRATION_EDITED",
        `migration ${record.version} (${migration.name}) was edited after it was applied here (applied ${record.checksum.slice(0, 12)}…, now ${migration.checksum.slice(0, 12)}…); restore its file and put the change into a new migration`,
      );
    }
  }
}
