import { randomBytes } from "node:crypto";
import mysql, { type Pool } from "mysql2/promise";
import { Database } from "../client.ts";
import { type ConnectionSettings, parseDatabaseUrl } from "../connection-options.ts";
import { migrate } from "../migrate/migrate.ts";
import { parseServerVersion, type ServerKind } from "../server-version.ts";
import { SessionZone } from "../session-zone.ts";

export interface TestDatabaseOptions {
  /** Default: `REDRIVE_TEST_ZONE` (an offset such as +08:00), else +00:00. */
  readonly zone?: SessionZone;
  /** Connections of `database`. Default as in production. */
  readonly connectionLimit?: number;
  /** Whether the schema is installed. Default true. */
  readonly migrated?: boolean;
  /** The server, as a URL; its database name is ignored. Default: `TEST_DATABASE_URL`, else the local MariaDB. */
  readonly base?: string;
}

export interface TestDatabase {
  readonly database: Database;
  readonly connection: ConnectionSettings;
  readonly url: string;
  readonly zone: SessionZone;
  /** A pool as a service makes it: the driver's defaults, two settings of which nothing of ours may rely on. */
  readonly pool: Pool;
  readonly kind: ServerKind;
  /** Closes both pools and drops the database. */
  drop(): Promise<void>;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1"]);

/**
 * A database of its own for one test file, with the server's default charset on purpose: tables must not depend on it.
 * @throws Error for a server that is not on this machine.
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const base = options.base ?? process.env["TEST_DATABASE_URL"] ?? "mysql://root@127.0.0.1:3316";
  const name = `redrive_test_${process.pid}_${randomBytes(4).toString("hex")}`;
  const address = new URL(base);
  address.pathname = `/${name}`;
  const url = address.toString();
  const connection = parseDatabaseUrl(url);
  if (!connection.socketPath && !LOOPBACK.has(connection.host ?? "")) {
    throw new Error(
      `test databases are made on this machine only, not on ${connection.host ?? "?"}; see TEST_DATABASE_URL`,
    );
  }
  const zone = options.zone ?? SessionZone.parse(process.env["REDRIVE_TEST_ZONE"] ?? "UTC");
  const kind = await onServer(connection, async (server) => {
    await server.query(`CREATE DATABASE \`${name}\``);
    const [rows] = await server.query("SELECT VERSION() AS version");
    const [row] = rows as { version: string }[];
    return parseServerVersion(row?.version ?? "").kind;
  });
  const dropDatabase = () =>
    onServer(connection, async (server) => void (await server.query(`DROP DATABASE \`${name}\``)));
  try {
    if (options.migrated ?? true) await migrate(connection, { zone });
  } catch (error) {
    await dropDatabase();
    throw error;
  }
  const database = new Database({
    connection,
    zone,
    ...(options.connectionLimit === undefined ? {} : { connectionLimit: options.connectionLimit }),
  });
  const pool = mysql.createPool({ ...connection });
  return {
    database,
    connection,
    url,
    zone,
    pool,
    kind,
    drop: async () => {
      await Promise.all([database.close(), pool.end()]);
      await dropDatabase();
    },
  };
}

async function onServer<Result>(
  connection: ConnectionSettings,
  work: (server: mysql.Connection) => Promise<Result>,
): Promise<Result> {
  const { database: _, ...settings } = connection;
  const server = await mysql.createConnection(settings);
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}
