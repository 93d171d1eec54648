/** What an error of the database means for the one who ran the statement. */
export type DatabaseErrorKind =
  | "duplicate_key"
  | "deadlock" // the transaction was rolled back: run the whole unit again
  | "lock_wait" // only the statement was rolled back: ROLLBACK first, then run the unit again
  | "connection_lost" // the outcome of the last statement is unknown; the connection must be destroyed
  | "read_only" // this server no longer takes writes: destroy the connection, wait, connect anew
  | "capacity" // too many connections, disk full, out of memory: wait
  | "permanent"; // a mistake in the statement or its data

const KIND_BY_ERRNO: ReadonlyMap<number, DatabaseErrorKind> = new Map([
  [1062, "duplicate_key"],
  [1213, "deadlock"],
  [1020, "deadlock"],
  [3101, "deadlock"],
  [1205, "lock_wait"],
  [3572, "lock_wait"],
  [1290, "read_only"],
  [1792, "read_only"],
  [1836, "read_only"],
  [3100, "read_only"],
  [1040, "capacity"],
  [1203, "capacity"],
  [1226, "capacity"],
  [1021, "capacity"],
  [1114, "capacity"],
  [1037, "capacity"],
  [1041, "capacity"],
  [1135, "capacity"],
  [1053, "connection_lost"],
  [1077, "connection_lost"],
  [1152, "connection_lost"],
  [1158, "connection_lost"],
  [1159, "connection_lost"],
  [1160, "connection_lost"],
  [1161, "connection_lost"],
  [1184, "connection_lost"],
  [1317, "connection_lost"],
  [1927, "connection_lost"],
  [1969, "connection_lost"],
  [3024, "connection_lost"],
  [2002, "connection_lost"],
  [2003, "connection_lost"],
  [2006, "connection_lost"],
  [2013, "connection_lost"],
  [2055, "connection_lost"],
  [4031, "connection_lost"],
]);

const LOST_CODES: ReadonlySet<string> = new Set([
  "PROTOCOL_CONNECTION_LOST",
  "PROTOCOL_SEQUENCE_TIMEOUT",
  "PROTOCOL_ENQUEUE_AFTER_QUIT",
  "PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR",
  "PROTOCOL_PACKETS_OUT_OF_ORDER",
  "HANDSHAKE_NO_SSL_SUPPORT",
  "POOL_CLOSED",
  "POOL_NOCONNECTIONS",
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EADDRNOTAVAIL",
]);

const LOST_MESSAGES =
  /connection is in closed state|connection lost|packets out of order|socket hang up|socket has been ended|write after end|pool is closed/i;

interface DriverError {
  readonly errno?: number;
  readonly code?: string;
  readonly fatal?: boolean;
  readonly message?: string;
  readonly cause?: unknown;
}

/** The single place that decides what a database error means; ask it, never the message text. */
export function classifyDatabaseError(error: unknown): DatabaseErrorKind {
  const found = knownError(error);
  return (found && kindOf(found)) ?? "permanent";
}

/** ORMs and our own errors wrap what the driver raised: the first error in the chain of causes that is known decides. */
function knownError(error: unknown): DriverError | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 8 && typeof current === "object" && current !== null; depth++) {
    const candidate = current as DriverError;
    if (kindOf(candidate)) return candidate;
    current = candidate.cause;
  }
  return undefined;
}

function kindOf(error: DriverError): DatabaseErrorKind | undefined {
  const known = error.errno === undefined ? undefined : KIND_BY_ERRNO.get(error.errno);
  if (known) return known;
  if (error.code !== undefined && LOST_CODES.has(error.code)) return "connection_lost";
  // Negative numbers are the operating system's: a socket file that is gone, a network that is down.
  if (error.fatal === true && (error.errno === undefined || error.errno < 0)) return "connection_lost";
  if (error.errno === undefined && error.message !== undefined && LOST_MESSAGES.test(error.message)) {
    return "connection_lost";
  }
  return undefined;
}

export function isDuplicateKey(error: unknown): boolean {
  return classifyDatabaseError(error) === "duplicate_key";
}

/** True if the server undid the whole unit and running it again is safe and useful at once. */
export function isContention(error: unknown): boolean {
  const kind = classifyDatabaseError(error);
  return kind === "deadlock" || kind === "lock_wait";
}

/** True if the server answers but takes no writes, as after a failover. */
export function isReadOnlyServer(error: unknown): boolean {
  return classifyDatabaseError(error) === "read_only";
}

/** True if the database cannot be used at the moment, through no fault of the statement. */
export function isOutage(error: unknown): boolean {
  const kind = classifyDatabaseError(error);
  return kind === "connection_lost" || kind === "read_only" || kind === "capacity";
}

/** True if the connection must not go back to its pool after this error. */
export function mustDestroyConnection(error: unknown): boolean {
  const kind = classifyDatabaseError(error);
  return kind === "connection_lost" || kind === "read_only";
}

/**
 * True if a MySQL driver itself reports that its database cannot be used; false for the same network errors of anything
 * else (an HTTP call to a host that is down is the handler's own failure).
 */
export function isMysqlOutage(error: unknown): boolean {
  const found = knownError(error);
  if (!found || !isOutage(error)) return false;
  return found.fatal === true || (typeof found.errno === "number" && found.errno >= 1_000);
}
