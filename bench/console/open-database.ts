import mysql from "mysql2/promise";
import { Database } from "../../db/client.ts";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import { migrate } from "../../db/migrate/migrate.ts";
import { parseServerVersion } from "../../db/server-version.ts";
import { SessionZone } from "../../db/session-zone.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1"]);

/**
 * A database of that name on a server of this machine, made and migrated if it is missing, kept when it is closed.
 * @throws Error for a server that is not on this machine.
 */
export async function openBenchDatabase(base: string, name: string): Promise<TestDatabase> {
  const address = new URL(base);
  address.pathname = `/${name}`;
  const url = address.toString();
  const connection = parseDatabaseUrl(url);
  if (!connection.socketPath && !LOOPBACK.has(connection.host ?? "")) {
    throw new Error(`a bench database is made on this machine only, not on ${connection.host ?? "?"}`);
  }
  const { database: _, ...server } = connection;
  const first = await mysql.createConnection(server);
  const [[row]] = (await first.query("SELECT VERSION() AS version")) as unknown as [[{ version: string }]];
  await first.query(`CREATE DATABASE IF NOT EXISTS \`${name}\``);
  await first.end();
  const zone = SessionZone.utc;
  await migrate(connection, { zone });
  const database = new Database({ connection, zone, statementTimeoutMs: 120_000 });
  const pool = mysql.createPool({ ...connection, connectionLimit: 4 });
  return {
    database,
    connection,
    url,
    zone,
    pool,
    kind: parseServerVersion(row.version).kind,
    drop: async () => {
      await pool.query(`DROP DATABASE \`${name}\``);
      await Promise.all([database.close(), pool.end()]);
    },
  };
}
