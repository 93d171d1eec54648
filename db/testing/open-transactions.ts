import type { RowDataPacket } from "mysql2/promise";
import type { TestDatabase } from "./test-database.ts";

/** A transaction that has begun and not ended, as the server sees it at this moment. */
export interface OpenTransaction {
  readonly connectionId: number;
  readonly waitsForLock: boolean;
  /** Each locked row counts once per index it was locked in. */
  readonly rowLocks: number;
}

/**
 * The open transactions of the test's own database. Not read from `innodb_trx`: that is a copy, renewed only when nobody on
 * the server has looked for 100 ms, so that two who look again and again never see anything new.
 */
export async function openTransactions(test: TestDatabase): Promise<OpenTransaction[]> {
  return test.kind === "mysql" ? fromPerformanceSchema(test) : fromMonitor(test);
}

/** MySQL's monitor leaves out a transaction that has only read and waits. */
async function fromPerformanceSchema(test: TestDatabase): Promise<OpenTransaction[]> {
  const [rows] = await test.pool.query<RowDataPacket[]>(
    `SELECT t.PROCESSLIST_ID AS id, COALESCE(SUM(l.LOCK_STATUS = 'WAITING'), 0) AS waiting, COALESCE(SUM(l.LOCK_TYPE = 'RECORD'), 0) AS locks
      FROM performance_schema.threads t
      JOIN performance_schema.events_transactions_current e ON e.THREAD_ID = t.THREAD_ID AND e.STATE = 'ACTIVE'
      LEFT JOIN performance_schema.data_locks l ON l.THREAD_ID = t.THREAD_ID
      WHERE t.PROCESSLIST_DB = DATABASE() AND t.PROCESSLIST_ID <> CONNECTION_ID() GROUP BY t.PROCESSLIST_ID`,
  );
  return rows.map((row) => ({
    connectionId: Number(row["id"]),
    waitsForLock: Number(row["waiting"]) > 0,
    rowLocks: Number(row["locks"]),
  }));
}

async function fromMonitor(test: TestDatabase): Promise<OpenTransaction[]> {
  const [status] = await test.pool.query<RowDataPacket[]>("SHOW ENGINE INNODB STATUS");
  const [sessions] = await test.pool.query<RowDataPacket[]>(
    "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()",
  );
  const ours = new Set(sessions.map(({ id }) => Number(id)));
  return String(status[0]?.["Status"])
    .split(/^---TRANSACTION /m)
    .slice(1)
    .filter((part) => /^[^,\n]+, ACTIVE/.test(part))
    .map((part) => ({
      connectionId: Number(/^MariaDB thread id (\d+)/m.exec(part)?.[1]),
      waitsForLock: /^LOCK WAIT /m.test(part),
      rowLocks: Number(/, (\d+) row lock\(s\)/.exec(part)?.[1] ?? 0),
    }))
    .filter(({ connectionId }) => ours.has(connectionId));
}
