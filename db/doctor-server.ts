import type { DoctorCheck } from "./doctor.ts";
import { type ServerInfo, type ServerProblem, isStrict, serverProblems } from "./server-info.ts";
import type { SessionZone } from "./session-zone.ts";

interface Expectations {
  readonly zone: SessionZone;
  readonly payloadBytesMax: number;
}

const CLOCK_OFFSET_MS = 1_000;
/** The pool closes its own idle connections after 60 s; a server that is quicker does it under the pool's feet. */
const WAIT_TIMEOUT_SECONDS = 90;

/** The checks that need nothing but what one session sees of its server. */
export function checkServer(info: ServerInfo, expected: Expectations): DoctorCheck[] {
  const problems = serverProblems(info);
  return [
    fromProblem("version", problems, `${info.version.kind} ${info.version.text}`),
    check(
      "isolation",
      info.isolation === "READ-COMMITTED" ? "ok" : "fail",
      `sessions of the engine are ${info.isolation}`,
      "a proxy resets session settings: turn its multiplexing off for this user, or pin its sessions",
    ),
    fromProblem(
      "binlog_format",
      problems,
      info.isBinlogOn ? info.binlogFormat : `${info.binlogFormat}, binary log off`,
    ),
    fromProblem("sql_mode", problems, `global sql_mode ${info.globalSqlMode}`),
    check(
      "session_sql_mode",
      isStrict(info.sessionSqlMode) ? "ok" : "fail",
      `sessions of the engine have ${info.sessionSqlMode}`,
      "a proxy resets session settings: pin its sessions for this user",
    ),
    check(
      "session_zone",
      info.sessionZone === expected.zone.name ? "ok" : "fail",
      `sessions of the engine are at ${info.sessionZone}, instants are stored at ${expected.zone.name} (system zone ${info.systemZone})`,
      "a proxy resets session settings: pin its sessions for this user",
    ),
    check(
      "affected_rows",
      info.affectedRows === "changed" ? "warn" : "ok",
      `affectedRows counts ${info.affectedRows} rows`,
      "remove the -FOUND_ROWS flag from the connection options",
    ),
    check(
      "charset",
      "ok",
      `server default ${info.serverCharset} (${info.serverCollation}); our tables name their own`,
      "",
    ),
    fromProblem("skip_locked", problems, `SELECT … SKIP LOCKED: ${info.skipLocked}`),
    check(
      "clock_offset",
      Math.abs(info.clockOffsetMs) <= CLOCK_OFFSET_MS ? "ok" : "warn",
      `the database's clock is ${info.clockOffsetMs} ms ahead of this process`,
      "synchronise both with NTP; due times follow the database, logs of this process do not",
    ),
    fromProblem("read_only", problems, `writable: ${info.isWritable}`),
    checkPacket(info, expected.payloadBytesMax),
    check(
      "wait_timeout",
      info.waitTimeoutSeconds >= WAIT_TIMEOUT_SECONDS ? "ok" : "warn",
      `idle connections are closed after ${info.waitTimeoutSeconds} s`,
      `set wait_timeout to ${WAIT_TIMEOUT_SECONDS} s or more: the pool keeps idle connections for 60 s`,
    ),
    check("auto_increment", "ok", `ids rise by ${info.autoIncrementIncrement} from ${info.autoIncrementOffset}`, ""),
    checkDurability(info),
  ];
}

/** A statement carries the payload escaped, which at worst doubles it. */
function checkPacket(info: ServerInfo, payloadBytesMax: number): DoctorCheck {
  const finding = `max_allowed_packet ${info.maxAllowedPacketBytes} bytes, payload limit ${payloadBytesMax} bytes`;
  // Texts may be sent as hex, at twice their size; the rest of the largest statement needs less than 1 MiB.
  const needed = payloadBytesMax * 2 + 1_048_576;
  if (info.maxAllowedPacketBytes >= needed) return check("max_allowed_packet", "ok", finding, "");
  return check(
    "max_allowed_packet",
    "fail",
    finding,
    `set max_allowed_packet to ${needed} or more, or lower the limit`,
  );
}

function checkDurability(info: ServerInfo): DoctorCheck {
  const isDurable = info.flushLogAtCommit === "1" && (!info.isBinlogOn || info.syncBinlog === "1");
  return check(
    "durability",
    isDurable ? "ok" : "warn",
    `innodb_flush_log_at_trx_commit ${info.flushLogAtCommit}, sync_binlog ${info.syncBinlog}${info.isBinlogOn ? "" : " (binary log off)"}`,
    "a power cut can lose the last committed tasks: set innodb_flush_log_at_trx_commit = 1 and sync_binlog = 1, or accept that",
  );
}

function fromProblem(id: ServerProblem["id"], problems: readonly ServerProblem[], finding: string): DoctorCheck {
  const problem = problems.find((candidate) => candidate.id === id);
  return check(id, problem ? "fail" : "ok", finding, problem?.message ?? "");
}

function check(id: string, level: DoctorCheck["level"], finding: string, advice: string): DoctorCheck {
  return { id, level, finding, advice: level === "ok" ? "" : advice };
}
