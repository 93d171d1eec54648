import { cpus, loadavg, release } from "node:os";
import type { Pool } from "mysql2/promise";
import { parseServerVersion } from "../db/server-version.ts";
import type { TestDatabase } from "../db/testing/test-database.ts";
import { PAYLOAD_BYTES } from "./payload.ts";

const VARIABLES = [
  "innodb_flush_log_at_trx_commit",
  "sync_binlog",
  "log_bin",
  "innodb_doublewrite",
  "innodb_buffer_pool_size",
];

/** Everything a reader needs to judge a figure by. */
export async function conditionsOf(test: TestDatabase): Promise<Record<string, unknown>> {
  return { ...(await mysqlConditions(test.pool)), ...machineConditions() };
}

/** The part of it that is the server's, a MySQL or MariaDB. */
export async function mysqlConditions(pool: Pool): Promise<Record<string, unknown>> {
  const [versions] = await pool.query("SELECT VERSION() AS version");
  const [rows] = await pool.query(`SHOW VARIABLES WHERE Variable_name IN (${VARIABLES.map(() => "?").join(",")})`, [
    ...VARIABLES,
  ]);
  const durability = Object.fromEntries(
    (rows as { Variable_name: string; Value: string }[]).map((row) => [row.Variable_name, row.Value]),
  );
  const version = (versions as { version: string }[])[0]?.version ?? "";
  return { server: parseServerVersion(version).kind, version, ...durability };
}

/** The part of it that is the machine's and this process's. */
export function machineConditions(): Record<string, unknown> {
  return {
    node: process.version,
    kernel: release(),
    cpus: cpus().length,
    load1: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    payloadBytes: PAYLOAD_BYTES,
  };
}
