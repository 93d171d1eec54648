import mysql, { type Connection } from "mysql2/promise";
import { destroyConnection, exactDriverOptions, mysql2Seam, sessionSettings } from "../client.ts";
import { describeTarget, type ConnectionSettings } from "../connection-options.ts";
import { Session } from "../session.ts";
import { parseServerVersion, type ServerKind } from "../server-version.ts";
import type { SessionZone } from "../session-zone.ts";
import { sql } from "drizzle-orm";

/** One connection of a migration, outside any pool. */
export interface MigrationConnection {
  readonly session: Session;
  readonly kind: ServerKind;
  /** Ends it; an open transaction on it is rolled back by the server. Never throws. */
  close(): Promise<void>;
}

/**
 * Opens a connection for migrations: READ COMMITTED, strict, and without a limit on the time of a statement, for DDL on
 * a large table takes what it takes.
 * @param lockWaitSeconds longest wait for a lock of any kind, in whole seconds
 */
export async function openMigrationConnection(
  settings: ConnectionSettings,
  zone: SessionZone,
  lockWaitSeconds: number,
): Promise<MigrationConnection> {
  const connection: Connection = await mysql.createConnection(exactDriverOptions(settings));
  connection.on("error", () => undefined);
  const session = new Session(mysql2Seam(connection), zone);
  try {
    for (const text of sessionSettings(zone, lockWaitSeconds)) await session.run(text);
    const [row] = await session.rows<{ version: string; database: string | null }>(
      sql`SELECT VERSION() AS version, DATABASE() AS \`database\``,
    );
    if (!row || row.database === null) {
      throw new Error(`no database chosen for ${describeTarget(settings)}; name one in DATABASE_URL`);
    }
    const { kind } = parseServerVersion(row.version);
    await session.run(`SET SESSION lock_wait_timeout = ${lockWaitSeconds}, SESSION wait_timeout = 28800`);
    if (kind === "mariadb") {
      await session.run("SET SESSION max_statement_time = 0, SESSION idle_transaction_timeout = 0");
    }
    return {
      session,
      kind,
      close: async () => {
        await connection.end().catch(() => destroyConnection(connection));
      },
    };
  } catch (error) {
    destroyConnection(connection);
    throw error;
  }
}
