import { sql } from "drizzle-orm";
import type { DoctorCheck } from "./doctor.ts";
import type { ServerKind } from "./server-version.ts";
import type { Session } from "./session.ts";

const OLD_TRANSACTION_SECONDS = 60;
const PURGE_BACKLOG = 100_000;

/**
 * The oldest transaction open anywhere on the server: it keeps purge from removing old row versions, and every claim
 * walks over those. The server reports its start in the system zone, whatever the session's. Needs PROCESS.
 */
export async function readOldestTransaction(session: Session): Promise<DoctorCheck> {
  const [row] = await session.rows<{ seconds: number | string | null; thread: number | string | null }>(
    sql`SELECT TIMESTAMPDIFF(SECOND, trx_started, CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', 'SYSTEM')) AS seconds,
          trx_mysql_thread_id AS thread
        FROM information_schema.innodb_trx ORDER BY trx_started LIMIT 1`,
  );
  if (!row) return { id: "oldest_transaction", level: "ok", finding: "no open transaction", advice: "" };
  const seconds = Number(row.seconds ?? 0);
  const finding = `the oldest open transaction is ${seconds} s old (connection ${row.thread ?? "?"})`;
  if (seconds < OLD_TRANSACTION_SECONDS) return { id: "oldest_transaction", level: "ok", finding, advice: "" };
  const advice = `it slows every claim down until it ends; find its owner, or KILL ${row.thread ?? "?"}`;
  return { id: "oldest_transaction", level: "warn", finding, advice };
}

/** Old row versions that wait for purge (history list length). MySQL needs PROCESS for it, MariaDB nothing. */
export async function readHistoryLength(session: Session, kind: ServerKind): Promise<number> {
  const [row] = await session.rows<{ Value: number | string }>(
    kind === "mariadb"
      ? sql`SHOW GLOBAL STATUS LIKE 'Innodb_history_list_length'`
      : sql`SELECT count AS Value FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'`,
  );
  return Number(row?.Value ?? 0);
}

/** Whether purge keeps up. */
export async function readPurgeBacklog(session: Session, kind: ServerKind): Promise<DoctorCheck> {
  const length = await readHistoryLength(session, kind);
  const finding = `${length} row versions wait for purge`;
  if (length < PURGE_BACKLOG) return { id: "purge_backlog", level: "ok", finding, advice: "" };
  const advice =
    "look for a long open transaction (oldest_transaction, a backup, a replica); claims slow down meanwhile";
  return { id: "purge_backlog", level: "warn", finding, advice };
}
