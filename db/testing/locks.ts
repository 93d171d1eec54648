import { sql } from "drizzle-orm";
import mysql, { type Connection, type ResultSetHeader } from "mysql2/promise";
import { type Database, exactDriverOptions, mysql2Seam, sessionSettings } from "../client.ts";
import { Session } from "../session.ts";
import { openTransactions } from "./open-transactions.ts";
import type { TestDatabase } from "./test-database.ts";

/** Something that runs a unit in one transaction of its own. */
export type Transactor = Pick<Database, "transaction">;

/** A transaction that has done its work and has not ended yet. */
export interface HeldTransaction<Result> {
  readonly result: Result;
  readonly connectionId: number;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** Runs `work` in a transaction and leaves it open, locks and all, until `commit` or `rollback`. */
export async function holdOpen<Result>(
  database: Transactor,
  work: (session: Session) => Promise<Result>,
): Promise<HeldTransaction<Result>> {
  const undone = new Error("rolled back by the test");
  let finish: (how: "commit" | "rollback") => void = () => undefined;
  const finished = new Promise<"commit" | "rollback">((resolve) => {
    finish = resolve;
  });
  return new Promise((resolve, reject) => {
    const ended = database.transaction(async (session) => {
      const result = await work(session);
      const [row] = await session.rows<{ id: string | number }>(sql`SELECT CONNECTION_ID() AS id`);
      const commit = async () => {
        finish("commit");
        await ended;
      };
      const rollback = async () => {
        finish("rollback");
        await ended.catch((error: unknown) => {
          if (error !== undone) throw error;
        });
      };
      resolve({ result, connectionId: Number(row?.id), commit, rollback });
      if ((await finished) === "rollback") throw undone;
    });
    ended.catch(reject);
  });
}

/** Transactions at REPEATABLE READ, the servers' default, to show what the same statement does there. */
export function atRepeatableRead(test: TestDatabase): Transactor {
  return {
    async transaction(work) {
      const connection = await mysql.createConnection(exactDriverOptions(test.connection));
      try {
        for (const setting of sessionSettings(test.zone, 1)) await connection.query(setting);
        await connection.query("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        await connection.query("START TRANSACTION");
        const result = await work(new Session(mysql2Seam(connection), test.zone));
        await connection.query("COMMIT");
        return result;
      } finally {
        await connection.end();
      }
    },
  };
}

/** What became of a statement that another transaction may hold up: done, or the number of the error. */
export type LockOutcome = "done" | number;

/** A business connection as a service opens it: the server's own isolation level, one second for a lock. */
export class BusinessConnection {
  readonly #connection: Connection;
  readonly #test: TestDatabase;

  private constructor(connection: Connection, test: TestDatabase) {
    this.#connection = connection;
    this.#test = test;
  }

  static async open(test: TestDatabase): Promise<BusinessConnection> {
    const connection = await mysql.createConnection({ ...test.connection });
    await connection.query("SET SESSION innodb_lock_wait_timeout = 1");
    return new BusinessConnection(connection, test);
  }

  /** Inserts a row by hand, as code that knows nothing of Redrive does, in a transaction of its own. */
  async insert(row: {
    readonly eventType: string;
    readonly bizKey: string;
    readonly dueAt: Date;
    readonly status?: number;
  }): Promise<LockOutcome> {
    return this.attempt(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
        first_retry_interval, next_retry_time) VALUES (?, ?, '{}', ?, 0, 5, 'EXPONENTIAL', 10, ?)`,
      [row.eventType, row.bizKey, row.status ?? 0, this.#test.zone.format(row.dueAt)],
    );
  }

  /** Runs a statement in a transaction of its own. */
  async attempt(text: string, values: readonly (string | number)[] = []): Promise<LockOutcome> {
    await this.#connection.query("START TRANSACTION");
    try {
      const [header] = await this.#connection.query<ResultSetHeader>(text, [...values]);
      if (header.affectedRows === 0) throw new Error(`nothing was changed by ${text}`);
      await this.#connection.query("COMMIT");
      return "done";
    } catch (error) {
      await this.#connection.query("ROLLBACK");
      const errno = (error as { errno?: number }).errno;
      if (errno === undefined) throw error;
      return errno;
    }
  }

  async isolation(): Promise<string> {
    const variable = this.#test.kind === "mysql" ? "transaction_isolation" : "tx_isolation";
    const [rows] = await this.#connection.query(`SELECT @@SESSION.${variable} AS level`);
    return String((rows as { level: string }[])[0]?.level);
  }

  async close(): Promise<void> {
    await this.#connection.end();
  }
}

/** The committed tasks whose row, or whose entry in `idx_claim`, another transaction has locked at this moment. */
export async function lockedTaskIds(test: TestDatabase): Promise<string[]> {
  return test.database.transaction(async (session) => {
    const read = async (index: string, lock: string) => {
      const rows = await session.rows<{ id: string }>(
        sql`SELECT CAST(id AS CHAR) AS id FROM t_retry_task FORCE INDEX (${sql.raw(index)}) WHERE event_type >= '' ${sql.raw(lock)}`,
      );
      return new Set(rows.map(({ id }) => id));
    };
    const all = await read("PRIMARY", "");
    const freeRows = await read("PRIMARY", "FOR UPDATE SKIP LOCKED");
    const freeEntries = await read("idx_claim", "FOR UPDATE SKIP LOCKED");
    return [...all].filter((id) => !freeRows.has(id) || !freeEntries.has(id)).sort((a, b) => Number(a) - Number(b));
  });
}

/** How many record locks a connection's open transaction holds: each locked row counts once per index it was locked in. */
export async function recordLocks(test: TestDatabase, connectionId: number): Promise<number> {
  const transactions = await openTransactions(test);
  return transactions.find((transaction) => transaction.connectionId === connectionId)?.rowLocks ?? 0;
}

/** A session on a connection of its own that runs `step` once, right before the first statement that matches. */
export function stepBefore(test: TestDatabase, statement: RegExp, step: () => Promise<unknown>): Session {
  const inner = mysql2Seam(test.pool);
  let isDone = false;
  const stepIfMatch = async (text: string) => {
    if (isDone || !statement.test(text)) return;
    isDone = true;
    await step();
  };
  return new Session(
    {
      async query(text, values) {
        await stepIfMatch(text);
        return inner.query(text, values);
      },
      async execute(text, values) {
        await stepIfMatch(text);
        return inner.execute(text, values);
      },
    },
    test.zone,
  );
}
