import { sql } from "drizzle-orm";
import type { Session } from "../session.ts";
import { binaryCollation, type ServerKind } from "../server-version.ts";
import type { Migration } from "./migration-files.ts";

/** What the database remembers of one migration. */
export interface MigrationRecord {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly stepsDone: number;
  readonly isDone: boolean;
}

/** True if a table of this name exists in the session's database. */
export async function tableExists(session: Session, table: string): Promise<boolean> {
  const rows = await session.rows(
    sql`SELECT 1 AS found FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ${table}`,
  );
  return rows.length > 0;
}

/** Creates the table of applied migrations if it is missing. */
export async function ensureMigrationTable(session: Session, kind: ServerKind): Promise<void> {
  if (await tableExists(session, "t_retry_migration")) return;
  await session.run(
    `CREATE TABLE IF NOT EXISTS t_retry_migration (
      version int NOT NULL,
      name varchar(128) NOT NULL,
      checksum char(64) NOT NULL,
      steps_done int NOT NULL DEFAULT 0,
      state varchar(16) NOT NULL,
      started_time datetime(3) NOT NULL,
      finished_time datetime(3),
      PRIMARY KEY (version)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=${binaryCollation(kind)}`,
  );
}

/** All applied or begun migrations by version; none if the table is missing. */
export async function readMigrationRecords(session: Session): Promise<MigrationRecord[]> {
  if (!(await tableExists(session, "t_retry_migration"))) return [];
  const rows = await session.rows<{
    version: number;
    name: string;
    checksum: string;
    stepsDone: number;
    state: string;
  }>(sql`SELECT version, name, checksum, steps_done AS stepsDone, state FROM t_retry_migration ORDER BY version`);
  return rows.map(({ state, ...record }) => ({ ...record, isDone: state === "done" }));
}

/** Notes that a migration begins; from here on a kill leaves a record to resume from. */
export async function recordBegin(session: Session, migration: Migration): Promise<void> {
  await session.change(
    sql`INSERT INTO t_retry_migration (version, name, checksum, steps_done, state, started_time)
        VALUES (${migration.version}, ${migration.name}, ${migration.checksum}, 0, 'running', ${session.now})`,
  );
}

/** Notes that the first `stepsDone` statements of a migration have run. */
export async function recordStep(session: Session, version: number, stepsDone: number): Promise<void> {
  await session.change(sql`UPDATE t_retry_migration SET steps_done = ${stepsDone} WHERE version = ${version}`);
}

/** Notes that a migration is complete. */
export async function recordDone(session: Session, version: number): Promise<void> {
  await session.change(
    sql`UPDATE t_retry_migration SET state = 'done', finished_time = ${session.now} WHERE version = ${version}`,
  );
}
