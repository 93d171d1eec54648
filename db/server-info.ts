import { sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { type Probe, affectedRowsMeaning, clockOffsetMs, probeSkipLocked, probeWritable } from "./server-probes.ts";
import { readVariables } from "./server-variables.ts";
import { type ServerVersion, isAtLeast, parseServerVersion } from "./server-version.ts";
import type { Session } from "./session.ts";

/** What one session sees of its server. */
export interface ServerInfo {
  readonly version: ServerVersion;
  /** Isolation of this session, such as `READ-COMMITTED`. */
  readonly isolation: string;
  readonly isBinlogOn: boolean;
  readonly binlogFormat: string;
  readonly sessionSqlMode: string;
  readonly globalSqlMode: string;
  readonly sessionZone: string;
  readonly systemZone: string;
  /** `read_only`, `super_read_only`, `innodb_read_only` or the transaction's own flag, whichever are on. */
  readonly readOnlyFlags: readonly string[];
  readonly maxAllowedPacketBytes: number;
  readonly waitTimeoutSeconds: number;
  readonly autoIncrementOffset: number;
  readonly autoIncrementIncrement: number;
  readonly serverCharset: string;
  readonly serverCollation: string;
  readonly flushLogAtCommit: string;
  readonly syncBinlog: string;
  /** Whether a locking SELECT with SKIP LOCKED really runs. */
  readonly skipLocked: Probe;
  /** Whether an UPDATE that matches no row is let through. */
  readonly isWritable: Probe;
  /** What `affectedRows` counts in this session: matched rows (the driver's default) or rows that really changed. */
  readonly affectedRows: "matched" | "changed" | "unknown";
  /** Database clock minus this process's clock, in milliseconds; for reports only. */
  readonly clockOffsetMs: number;
}

const READ_ONLY_FLAGS = ["read_only", "super_read_only", "innodb_read_only", "transaction_read_only", "tx_read_only"];

/** Reads settings and runs harmless probes; changes nothing. Needs no privilege beyond the use of our tables. */
export async function inspectServer(session: Session): Promise<ServerInfo> {
  const local = await readVariables(session, "SESSION");
  const global = await readVariables(session, "GLOBAL");
  const [row] = await session.rows<{ version: string }>(sql`SELECT VERSION() AS version`);
  const text = (name: string) => local.get(name) ?? "";
  const isOn = (name: string) => /^(on|1|no_lock|no_lock_no_admin)$/i.test(text(name));
  return {
    version: parseServerVersion(row?.version ?? ""),
    isolation: local.get("transaction_isolation") ?? text("tx_isolation"),
    isBinlogOn: isOn("log_bin"),
    binlogFormat: text("binlog_format").toUpperCase(),
    sessionSqlMode: text("sql_mode"),
    globalSqlMode: global.get("sql_mode") ?? "",
    sessionZone: text("time_zone"),
    systemZone: text("system_time_zone"),
    readOnlyFlags: READ_ONLY_FLAGS.filter(isOn),
    maxAllowedPacketBytes: Number(text("max_allowed_packet")),
    waitTimeoutSeconds: Number(global.get("wait_timeout") ?? ""),
    autoIncrementOffset: Number(text("auto_increment_offset")),
    autoIncrementIncrement: Number(text("auto_increment_increment")),
    serverCharset: text("character_set_server"),
    serverCollation: text("collation_server"),
    flushLogAtCommit: text("innodb_flush_log_at_trx_commit"),
    syncBinlog: text("sync_binlog"),
    skipLocked: await probeSkipLocked(session),
    isWritable: await probeWritable(session),
    affectedRows: await affectedRowsMeaning(session),
    clockOffsetMs: await clockOffsetMs(session),
  };
}

/** A reason not to start on this server. */
export interface ServerProblem {
  readonly id: "version" | "binlog_format" | "read_only" | "sql_mode" | "skip_locked";
  /** Names the thing and the way out. */
  readonly message: string;
}

/** The server cannot be used as it is; the message lists every problem. */
export class ServerUnusableError extends Error {
  override readonly name = "ServerUnusableError";
  readonly code = "SERVER_UNUSABLE";
  readonly problems: readonly ServerProblem[];

  constructor(problems: readonly ServerProblem[]) {
    super(`this database server cannot be used: ${problems.map(({ message }) => message).join("; ")}`);
    this.problems = problems;
  }
}

/** The reasons to refuse to start; empty for a server that can be used. */
export function serverProblems(info: ServerInfo): ServerProblem[] {
  const problems: ServerProblem[] = [];
  const { version } = info;
  const isNewEnough = version.kind === "mysql" ? isAtLeast(version, 8, 0, 1) : isAtLeast(version, 10, 6, 0);
  if (!isNewEnough) {
    problems.push({
      id: "version",
      message: `server version ${version.text} is too old; upgrade to MySQL 8.0.1 or MariaDB 10.6.0, or later`,
    });
  } else if (info.skipLocked === "no") {
    problems.push({
      id: "skip_locked",
      message: `server ${version.text} does not run SELECT … FOR UPDATE SKIP LOCKED, which claims need; use MySQL 8.0.1, MariaDB 10.6.0, or later`,
    });
  }
  if (info.isBinlogOn && info.binlogFormat === "STATEMENT") {
    problems.push({
      id: "binlog_format",
      message: "binlog_format is STATEMENT, which cannot log claims; SET GLOBAL binlog_format = 'ROW' and connect anew",
    });
  }
  if (info.isWritable === "no" || info.readOnlyFlags.length > 0) {
    const why = info.readOnlyFlags.length > 0 ? `${info.readOnlyFlags.join(", ")} is on` : "it refused an update";
    problems.push({
      id: "read_only",
      message: `the server takes no writes (${why}); point DATABASE_URL at the primary, with a user that may UPDATE`,
    });
  }
  if (!isStrict(info.globalSqlMode)) {
    problems.push({
      id: "sql_mode",
      message: `the global sql_mode "${info.globalSqlMode}" is not strict, so business code would store shortened payloads and keys without an error; add STRICT_TRANS_TABLES to sql_mode in the server's configuration (and SET GLOBAL sql_mode = CONCAT(@@GLOBAL.sql_mode, ',STRICT_TRANS_TABLES'))`,
    });
  }
  return problems;
}

/** True if an overlong value is an error in this mode and not cut. */
export function isStrict(sqlMode: string): boolean {
  return /\bSTRICT_(TRANS|ALL)_TABLES\b/i.test(sqlMode);
}

/**
 * Looks at the server before anything is started on it, and answers what it found.
 * @throws ServerUnusableError listing all problems at once.
 */
export async function assertServerUsable(database: Database): Promise<ServerInfo> {
  const info = await database.use((session) => inspectServer(session));
  const problems = serverProblems(info);
  if (problems.length > 0) throw new ServerUnusableError(problems);
  return info;
}
