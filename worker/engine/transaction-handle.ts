import { sql } from "drizzle-orm";
import type { Connection, PoolConnection } from "mysql2/promise";
import { mysql2Seam } from "../../db/client.ts";
import { type SqlSeam } from "../../db/session.ts";
import { RedriveError } from "./errors.ts";
import type { DrizzleTransaction } from "./handler.ts";

/** A transaction that a task can be enqueued in: a mysql2 promise connection, a Drizzle transaction, or your own two methods. */
export type TransactionHandle = Connection | PoolConnection | DrizzleTransaction | SqlSeam;

/**
 * The two-method seam over whatever the caller handed in.
 * @throws RedriveError INVALID_OPTION for a pool or anything else that is no single session.
 */
export function seamOf(handle: TransactionHandle): SqlSeam {
  if (typeof handle === "object" && handle !== null) {
    if (isPool(transactionKey(handle))) {
      throw new RedriveError(
        "INVALID_OPTION",
        "enqueue was given a pool, or a Drizzle database over one: each of its statements may run on another connection; pass the connection or the transaction object that holds your transaction",
      );
    }
    if (isDrizzle(handle)) return drizzleSeam(handle);
    if (isMysql2Connection(handle)) return mysql2Seam(handle);
    if (isSeam(handle)) return handle;
  }
  throw new RedriveError(
    "INVALID_OPTION",
    "enqueue needs a mysql2/promise connection, a Drizzle transaction, or an object with query(text, values) and execute(text, values)",
  );
}

/** The object that stands for the whole transaction, so that a savepoint's handle finds the hooks of its outer one. */
export function transactionKey(handle: TransactionHandle): object {
  if (!isDrizzle(handle)) return handle;
  const session = (handle as unknown as { session?: { client?: object } }).session;
  return session?.client ?? handle;
}

export function isDrizzle(handle: unknown): handle is DrizzleTransaction {
  return (
    typeof handle === "object" &&
    handle !== null &&
    typeof (handle as { select?: unknown }).select === "function" &&
    typeof (handle as { execute?: unknown }).execute === "function" &&
    typeof (handle as { transaction?: unknown }).transaction === "function"
  );
}

function isPool(handle: object): boolean {
  return typeof (handle as { getConnection?: unknown }).getConnection === "function";
}

function isMysql2Connection(handle: object): handle is Connection {
  const candidate = handle as { query?: unknown; beginTransaction?: unknown; threadId?: unknown; promise?: unknown };
  if (typeof candidate.promise === "function" && typeof candidate.beginTransaction === "function") {
    throw new RedriveError("INVALID_OPTION", "enqueue was given a callback connection; pass its connection.promise()");
  }
  return typeof candidate.query === "function" && typeof candidate.beginTransaction === "function";
}

function isSeam(handle: object): handle is SqlSeam {
  const candidate = handle as { query?: unknown; execute?: unknown };
  return typeof candidate.query === "function" && typeof candidate.execute === "function";
}

/**
 * The connection under a Drizzle transaction, which its statements share; where it cannot be seen, Drizzle's own way to
 * run SQL.
 */
function drizzleSeam(tx: DrizzleTransaction): SqlSeam {
  const client = (tx as unknown as { session?: { client?: Connection } }).session?.client;
  if (client && typeof client.query === "function") return mysql2Seam(client);
  const run = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    const parts = text.split("?");
    const chunks = parts.map((part, index) =>
      index < values.length ? sql`${sql.raw(part)}${values[index]}` : sql.raw(part),
    );
    const [result] = (await tx.execute(sql.join(chunks))) as unknown as [unknown];
    return result;
  };
  return {
    async query(text, values) {
      return (await run(text, values)) as Record<string, unknown>[];
    },
    async execute(text, values) {
      return (await run(text, values)) as { affectedRows: number; insertId: number };
    },
  };
}
