import type { Connection, Pool, PoolConnection } from "mysql2/promise";
import { destroyConnection, runStatement } from "../../db/client.ts";
import { mustDestroyConnection } from "../../db/mysql-errors.ts";
import type { ServiceDatabase } from "./config.ts";
import { RedriveError } from "./errors.ts";
import type { DrizzleTransaction } from "./handler.ts";
import { isDrizzle } from "./transaction-handle.ts";

/** A transaction of the service's own database, as the engine runs it. */
export interface OpenTransaction {
  /** What the service's code gets: a Drizzle transaction or a mysql2 connection. */
  readonly tx: unknown;
  /** The mysql2 connection underneath; undefined if it cannot be seen. */
  readonly connection: Connection | undefined;
}

export interface TransactionRunner {
  run<Result>(work: (open: OpenTransaction) => Promise<Result>, isolation?: "read committed"): Promise<Result>;
}

type DrizzleSource = {
  readonly $client: Pool;
  transaction<Result>(
    work: (tx: DrizzleTransaction) => Promise<Result>,
    config?: { isolationLevel: "read committed" },
  ): Promise<Result>;
};

/** The mysql2 pool of what the service handed in. @throws RedriveError INVALID_OPTION if there is none. */
export function poolOf(database: ServiceDatabase): Pool {
  const candidate = isDrizzle(database) ? (database as unknown as DrizzleSource).$client : (database as Pool);
  const holdsPool = candidate as unknown as {
    getConnection?: unknown;
    pool?: { config?: unknown };
    promise?: () => Pool;
  };
  if (typeof holdsPool?.getConnection === "function" && holdsPool.pool?.config) return candidate;
  if (typeof holdsPool?.getConnection === "function" && typeof holdsPool.promise === "function")
    return holdsPool.promise();
  throw new RedriveError(
    "INVALID_OPTION",
    "engine options: database must be a mysql2/promise pool or a Drizzle database made from one",
  );
}

/** Runs transactions on the service's database the way the service itself would. */
export function transactionRunner(database: ServiceDatabase): TransactionRunner {
  if (isDrizzle(database)) {
    const source = database as unknown as DrizzleSource;
    return {
      run: (work, isolation) =>
        source.transaction(
          (tx) => work({ tx, connection: connectionUnder(tx) }),
          isolation && { isolationLevel: isolation },
        ),
    };
  }
  const pool = poolOf(database);
  return { run: (work, isolation) => runOnPool(pool, work, isolation) };
}

function connectionUnder(tx: DrizzleTransaction): Connection | undefined {
  const client = (tx as unknown as { session?: { client?: Connection } }).session?.client;
  return client && typeof client.query === "function" ? client : undefined;
}

async function runOnPool<Result>(
  pool: Pool,
  work: (open: OpenTransaction) => Promise<Result>,
  isolation?: "read committed",
): Promise<Result> {
  const connection: PoolConnection = await pool.getConnection();
  try {
    if (isolation) await runStatement(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    await runStatement(connection, "START TRANSACTION");
    const result = await work({ tx: connection, connection });
    await runStatement(connection, "COMMIT");
    connection.release();
    return result;
  } catch (error) {
    if (mustDestroyConnection(error)) destroyConnection(connection);
    else {
      await runStatement(connection, "ROLLBACK").then(
        () => connection.release(),
        () => destroyConnection(connection),
      );
    }
    throw error;
  }
}
