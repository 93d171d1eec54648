import { sql } from "drizzle-orm";
import type { Session } from "./session.ts";

const NAMES = [
  "auto_increment_increment",
  "auto_increment_offset",
  "binlog_format",
  "character_set_server",
  "collation_server",
  "innodb_flush_log_at_trx_commit",
  "innodb_read_only",
  "log_bin",
  "max_allowed_packet",
  "read_only",
  "sql_mode",
  "super_read_only",
  "sync_binlog",
  "system_time_zone",
  "time_zone",
  "transaction_isolation",
  "transaction_read_only",
  "tx_isolation",
  "tx_read_only",
  "wait_timeout",
];

/** The server variables that matter to us, by lower-case name; one that this server does not have is left out. */
export async function readVariables(session: Session, scope: "SESSION" | "GLOBAL"): Promise<Map<string, string>> {
  const rows = await session.rows<{ Variable_name: string; Value: string }>(
    sql`SHOW ${sql.raw(scope)} VARIABLES WHERE Variable_name IN (${sql.join(
      NAMES.map((name) => sql`${name}`),
      sql`, `,
    )})`,
  );
  return new Map(rows.map((row) => [row.Variable_name.toLowerCase(), row.Value]));
}
