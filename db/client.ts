import { once } from "node:events";
import type { Socket } from "node:net";
import mysql, {
  type Connection,
  type Pool,
  type PoolConnection,
  type QueryOptions,
  type ResultSetHeader,
} from "mysql2/promise";
import { type ConnectionSettings } from "./connection-options.ts";
import { classifyDatabaseError, isContention, mustDestroyConnection } from "./mysql-errors.ts";
import { Session, type SqlSeam, type SqlValue } from "./session.ts";
import { SessionZone } from "./session-zone.ts";

export interface DatabaseOptions {
  readonly connection: ConnectionSettings;
  /** Fixed offset in which instants are stored. Default +00:00. */
  readonly zone?: SessionZone;
  /** Connections of this pool. Default 6. */
  readonly connectionLimit?: number;
  /** Longest wait for a free connection, in milliseconds. Default 5,000. */
  readonly acquireTimeoutMs?: number;
  /** Longest time of one statement, in milliseconds; past it the connection is destroyed. Default 10,000. */
  readonly statementTimeoutMs?: number;
  /** Longest wait for a row lock, in whole seconds. Default 1. */
  readonly lockWaitSeconds?: number;
  /** Silence after which the server ends a session, in whole seconds. Default 30. */
  readonly idleSeconds?: number;
}

/** Waiting for a connection of Redrive's own pool took too long; nothing was sent. */
export class AcquireTimeoutError extends Error {
  override readonly name = "AcquireTimeoutError";
  readonly code = "POOL_NOCONNECTIONS";
}

const STRICT_SQL_MODE = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

/**
 * The settings every connection of Redrive's own begins with. READ COMMITTED, because under REPEATABLE READ a claim's
 * gap lock makes business inserts wait; a fixed zone and strict mode, so that server defaults decide nothing; a short
 * `wait_timeout`, so that the locks of a host that vanished in the middle of a transaction do not stay for hours.
 */
export function sessionSettings(zone: SessionZone, lockWaitSeconds = 1, idleSeconds = 30): string[] {
  return [
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    `SET SESSION time_zone = '${zone.name}', SESSION sql_mode = '${STRICT_SQL_MODE}', SESSION innodb_lock_wait_timeout = ${lockWaitSeconds}, SESSION wait_timeout = ${idleSeconds}`,
  ];
}

/** Driver options that keep every digit and every zone: 64-bit numbers and instants arrive as text. */
export function exactDriverOptions(connection: ConnectionSettings) {
  return {
    connectTimeout: 5_000,
    ...connection,
    charset: "utf8mb4",
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    timezone: "Z",
    multipleStatements: false,
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
  } as const;
}

/** The driver's own connection object under its promise wrapper. */
interface RawConnection {
  query(statement: string | QueryOptions, done: (error: Error | null, result?: unknown) => void): void;
  on(event: "error", listener: () => void): void;
  /** Once it is connected; the encrypted one where there is encryption. */
  readonly stream: Socket;
}

const CLOSE_MS_MAX = 1_000;
/** A connection that was free for longer may have been ended by something that ends idle ones: no sign of an outage. */
const REAPED_AFTER_MS = 5_000;

type Queryable = Pick<Connection, "query">;

/**
 * Runs one statement of Redrive's own. Goes past the driver's promise wrapper where there is one: that copies the call
 * stack with every statement, an eighth of the processor time of an eager task; here a statement that failed gets it.
 */
export async function runStatement(target: Queryable, statement: string | QueryOptions): Promise<unknown> {
  const raw = (target as { readonly connection?: Partial<RawConnection> }).connection;
  if (typeof raw?.query !== "function") {
    const [result] = await target.query(statement as QueryOptions);
    return result;
  }
  try {
    return await new Promise((resolve, reject) => {
      raw.query?.(statement, (error, result) => (error ? reject(error) : resolve(result)));
    });
  } catch (error) {
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/** The seam over a mysql2 promise connection or pool. `timeoutMs` bounds each statement. */
export function mysql2Seam(target: Queryable, timeoutMs?: number): SqlSeam {
  const optionsOf = (text: string, values: readonly SqlValue[]) => ({
    sql: text,
    // The driver looks through the whole text for placeholders unless it is told that there are none.
    values: values.length === 0 ? null : [...values],
    namedPlaceholders: false,
    timeout: timeoutMs,
  });
  // A service's pool may have shaped its rows otherwise; these are ours.
  const shape = { rowsAsArray: false, nestTables: false, typeCast: true };
  return {
    query: async (text, values) =>
      (await runStatement(target, { ...shape, ...optionsOf(text, values) })) as Record<string, unknown>[],
    execute: async (text, values) => (await runStatement(target, optionsOf(text, values))) as ResultSetHeader,
  };
}

/**
 * Redrive's own connections to one database, apart from those of the service, so that handlers which hold every
 * connection of the service cannot keep a claim or a result from being written.
 */
export class Database {
  readonly zone: SessionZone;
  readonly connection: ConnectionSettings;
  readonly #pool: Pool;
  readonly #acquireTimeoutMs: number;
  readonly #statementTimeoutMs: number;
  readonly #limit: number;
  /** Settles when a new connection has its session settings; its first user waits for that. */
  readonly #prepared = new WeakMap<object, Promise<unknown>>();
  readonly #sockets = new Set<Socket>();
  /** When each free connection was given back. */
  readonly #freeSinceMs = new WeakMap<object, number>();
  readonly #idleMsMax: number;
  #busy = 0;
  #lastLossMs = Number.NEGATIVE_INFINITY;

  constructor(options: DatabaseOptions) {
    this.connection = options.connection;
    this.zone = options.zone ?? SessionZone.utc;
    this.#limit = options.connectionLimit ?? 6;
    this.#acquireTimeoutMs = options.acquireTimeoutMs ?? 5_000;
    this.#statementTimeoutMs = options.statementTimeoutMs ?? 10_000;
    const idleSeconds = options.idleSeconds ?? 30;
    this.#idleMsMax = (idleSeconds * 1_000) / 3;
    this.#pool = mysql.createPool({
      ...exactDriverOptions(options.connection),
      connectionLimit: this.#limit,
      waitForConnections: true,
      // Idle connections are closed here, with a word of farewell, before the server does it. The driver looks for them
      // each second, closes what exceeds `maxIdle` however short it was idle (the only one of a pool of one), and does not
      // look if that is the limit.
      maxIdle: this.#limit - 1,
      idleTimeout: this.#idleMsMax,
      gracefulEnd: true,
    });
    const settings = sessionSettings(this.zone, options.lockWaitSeconds, idleSeconds);
    this.#pool.on("connection", (connection) => {
      const raw = connection as unknown as RawConnection;
      const { stream } = raw;
      this.#sockets.add(stream);
      stream.once("close", () => this.#sockets.delete(stream));
      raw.on("error", () => {
        const nowMs = performance.now();
        if (nowMs - (this.#freeSinceMs.get(raw) ?? nowMs) < REAPED_AFTER_MS) this.#lastLossMs = nowMs;
      });
      const prepared = Promise.all(settings.map((text) => this.#prepare(raw, text)));
      prepared.catch(() => undefined);
      this.#prepared.set(raw, prepared);
    });
  }

  /** True if a connection of this pool was lost within the last `ms`, in use or idle. */
  lostConnectionWithin(ms: number): boolean {
    return performance.now() - this.#lastLossMs <= ms;
  }

  /** Connections in use at this moment; 0 when nothing is leaked. */
  get busyConnections(): number {
    return this.#busy;
  }

  /**
   * Runs `work` on one session without a transaction: each statement commits by itself. The connection is given back,
   * or destroyed if the error says it cannot be trusted any more.
   */
  async use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#withConnection(async (connection) => work(this.#session(connection)));
  }

  /**
   * Runs `work` in one READ COMMITTED transaction. Any error rolls back before it is rethrown; an error of COMMIT itself
   * leaves the outcome unknown and is rethrown as it came.
   */
  async transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#withConnection(async (connection) => {
      const session = this.#session(connection);
      await session.run("START TRANSACTION");
      try {
        const result = await work(session);
        await session.run("COMMIT");
        return result;
      } catch (error) {
        // 1205 undoes only its statement: without this ROLLBACK the next user would commit the rest.
        if (!mustDestroyConnection(error)) await session.run("ROLLBACK").catch(() => destroyConnection(connection));
        throw error;
      }
    });
  }

  /** `transaction`, run again with jitter when the server made it a deadlock or lock-wait victim, at most 20 times. */
  async retryingTransaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    return retryContention(() => this.transaction(work));
  }

  /** Closes every connection: in good order, or by force if the server does not answer within a second. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const impatience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS_MAX);
    });
    await Promise.race([this.#end(), impatience]);
    clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  async #end(): Promise<void> {
    await this.#pool.end().catch(() => undefined);
    await Promise.allSettled([...this.#sockets].map((socket) => once(socket, "close")));
  }

  #session(connection: PoolConnection): Session {
    return new Session(mysql2Seam(connection, this.#statementTimeoutMs), this.zone);
  }

  async #withConnection<Result>(work: (connection: PoolConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#acquireTrusted();
    this.#busy++;
    try {
      await this.#whenPrepared(connection);
      const result = await work(connection);
      this.#release(connection);
      return result;
    } catch (error) {
      // An error after which the session's state is unknown (lost, read-only, failed ROLLBACK) ends the connection.
      if (mustDestroyConnection(error)) {
        this.#lastLossMs = performance.now();
        destroyConnection(connection);
      } else this.#release(connection);
      throw error;
    } finally {
      this.#busy--;
    }
  }

  #release(connection: PoolConnection): void {
    this.#freeSinceMs.set(connection.connection, performance.now());
    connection.release();
  }

  #prepare(raw: RawConnection, text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      raw.query({ sql: text, timeout: this.#statementTimeoutMs }, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** A connection without its session settings is destroyed, so no statement ever runs without them. */
  async #whenPrepared(connection: PoolConnection): Promise<void> {
    const raw: object = connection.connection;
    const prepared = this.#prepared.get(raw);
    if (!prepared) return;
    try {
      await prepared;
      this.#prepared.delete(raw);
    } catch (error) {
      destroyConnection(connection);
      throw error;
    }
  }

  /**
   * A connection that was just opened or used. What has been free since before another one was lost may lead to where
   * that one led, and what was idle for too long may have been ended by the server: both are replaced.
   */
  async #acquireTrusted(): Promise<PoolConnection> {
    for (;;) {
      const connection = await this.#acquire();
      const freeSinceMs = this.#freeSinceMs.get(connection.connection) ?? Number.POSITIVE_INFINITY;
      this.#freeSinceMs.delete(connection.connection);
      if (freeSinceMs >= this.#lastLossMs && performance.now() - freeSinceMs <= this.#idleMsMax) return connection;
      destroyConnection(connection);
    }
  }

  async #acquire(): Promise<PoolConnection> {
    let timer: NodeJS.Timeout | undefined;
    let expired = false;
    const waiting = this.#pool.getConnection().then((connection) => {
      if (expired) this.#release(connection);
      return connection;
    });
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        expired = true;
        reject(
          new AcquireTimeoutError(`no free connection within ${this.#acquireTimeoutMs} ms (limit ${this.#limit})`),
        );
      }, this.#acquireTimeoutMs);
    });
    try {
      return await Promise.race([waiting, limit]);
    } finally {
      clearTimeout(timer);
      waiting.catch(() => undefined);
    }
  }
}

/**
 * Ends a connection and its socket. The driver itself only ends its half of it: an answer to that may never come, or
 * so late that it is taken for the answer to something else.
 */
export function destroyConnection(connection: Pick<Connection, "destroy">): void {
  const { connection: raw } = connection as { readonly connection?: Partial<RawConnection> };
  connection.destroy();
  raw?.stream?.destroy();
}

/** Runs a whole unit again, some milliseconds apart and at most 20 times, while the server names it a contention victim. */
export async function retryContention<Result>(unit: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await unit();
    } catch (error) {
      if (attempt >= 20 || !isContention(error)) throw error;
      // A deadlock is over at once; a row that somebody keeps locked is left alone for longer each time.
      const waitMs = classifyDatabaseError(error) === "deadlock" ? 10 : Math.min(2_000, 50 * 2 ** attempt);
      await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
    }
  }
}
