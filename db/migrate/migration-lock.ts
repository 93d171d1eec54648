import { sql } from "drizzle-orm";
import { classifyDatabaseError, isDuplicateKey } from "../mysql-errors.ts";
import { binaryCollation } from "../server-version.ts";
import type { MigrationConnection } from "./migration-connection.ts";
import { tableExists } from "./migration-table.ts";

/** Another process held the migration lock for the whole time that this one was willing to wait; nothing was changed. */
export class MigrationLockError extends Error {
  override readonly name = "MigrationLockError";
  readonly code = "MIGRATION_LOCKED";
}

/**
 * Takes the migration lock: one row, locked in a transaction that stays open on this connection. It ends with the
 * connection, so a killed process leaves nothing behind that somebody must delete.
 * @param waitSeconds longest wait for the holder, in whole seconds, at least 1
 * @throws MigrationLockError if another process still holds it then.
 */
export async function takeMigrationLock(holder: MigrationConnection, waitSeconds: number): Promise<void> {
  const { session, kind } = holder;
  if (!(await tableExists(session, "t_retry_migration_lock"))) {
    await session.run(
      `CREATE TABLE IF NOT EXISTS t_retry_migration_lock (id int NOT NULL, PRIMARY KEY (id))
       ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=${binaryCollation(kind)}`,
    );
  }
  // A plain read first: an INSERT of a row that is locked by its holder would wait for that holder.
  const rows = await session.rows(sql`SELECT id FROM t_retry_migration_lock WHERE id = 1`);
  await session.run(`SET SESSION innodb_lock_wait_timeout = ${waitSeconds}`);
  try {
    if (rows.length === 0) {
      await session.change(sql`INSERT INTO t_retry_migration_lock (id) VALUES (1)`).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
    }
    await session.run("START TRANSACTION");
    await session.rows(sql`SELECT id FROM t_retry_migration_lock WHERE id = 1 FOR UPDATE`);
  } catch (error) {
    if (classifyDatabaseError(error) !== "lock_wait") throw error;
    throw new MigrationLockError(
      `another process has been migrating this database for more than ${waitSeconds} s; nothing was changed here. Let it finish and start again, or allow a longer wait (lockWaitSeconds)`,
      { cause: error },
    );
  }
}

/**
 * Proves that the lock is still held, before each statement.
 * @throws Error if its connection is gone: another process may be migrating now.
 */
export async function assertLockHeld(holder: MigrationConnection): Promise<void> {
  try {
    await holder.session.rows(sql`SELECT 1 AS alive`);
  } catch (error) {
    throw new Error("the connection that held the migration lock was lost; start the migration again, it resumes", {
      cause: error,
    });
  }
}
