import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import mysql, { type Pool, type ResultSetHeader } from "mysql2/promise";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import { ARTICLE_TABLE } from "../../db/testing/article-table.ts";
import type { Contestant } from "../contestant.ts";
import { EVENT_TYPE, keyOf, payloadText } from "../payload.ts";
import { ROWS_READ, type StatusRow, sumOf } from "./rows-read.ts";
import { enterTaskTable, type TaskTable } from "./task-table.ts";

/*
 * The well-known article's SQL, literally, as a team writes it by hand over mysql2. Its poll waits 10 s between batches of
 * 50; here it waits only when it has found nothing, or no drain could be compared.
 */

const IP = "127.0.0.1";
const POLL_INTERVAL_MS = 10_000;
/** More connections than that a server of 150 would not give to two contestants and their neighbours. */
const CONNECTIONS_MAX = 60;
const INSERT = `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy,
  first_retry_interval, next_retry_time) VALUES `;
const ROW = "(?, ?, ?, 0, 8, 'EXPONENTIAL', 10, NOW())";
const TAKE_ONE = "UPDATE t_retry_task SET status=3, ip=?, update_time=NOW() WHERE id=? AND status=0";
const READ_ONE = "SELECT * FROM t_retry_task WHERE id=?";
const SUCCESS = "UPDATE t_retry_task SET status=1, update_time=NOW() WHERE id=? AND status=3";
const RECYCLE = `UPDATE t_retry_task SET status=0, ip=NULL, update_time=NOW() WHERE status=3 AND retry_count<max_retry_count
  AND update_time < NOW() - INTERVAL 3 MINUTE ORDER BY next_retry_time, id LIMIT 50`;
const TAKE_BATCH = `UPDATE t_retry_task SET ip=?, status=3, update_time=NOW() WHERE next_retry_time<=NOW()
  AND retry_count<max_retry_count AND status=0 ORDER BY next_retry_time, id LIMIT 50`;
const READ_BATCH = "SELECT * FROM t_retry_task WHERE ip=? AND status=3 ORDER BY next_retry_time, id LIMIT 50";

interface Row {
  readonly id: number;
  readonly biz_context: string;
}

const TABLE: TaskTable = {
  migrated: false,
  setUp: async (test) => void (await test.pool.query(ARTICLE_TABLE)),
  claim: async ({ pool }) => {
    const connection = await pool.getConnection();
    try {
      const read = async () => sumOf((await connection.query(ROWS_READ))[0] as StatusRow[]);
      const before = await read();
      const startedMs = performance.now();
      const [rows] = await takeBatch(connection);
      const ms = performance.now() - startedMs;
      const rowsRead = (await read()) - before;
      for (const row of rows) await connection.execute(SUCCESS, [row.id]);
      return { ms, rowsRead };
    } finally {
      connection.release();
    }
  },
};

export const article: Contestant = {
  name: "article",
  modes: ["enqueue", "enqueue-many", "eager", "drain"],
  server: "mysql",
  enter: (server) => enterTaskTable(server, TABLE),
  commitsItself: (text) => text.startsWith("UPDATE"),
  async open(store, { mode, concurrency, connections, onTask }) {
    const settings = parseDatabaseUrl(store);
    const producers = mysql.createPool({ ...settings, connectionLimit: connections });
    const pool = mysql.createPool({ ...settings, connectionLimit: Math.min(concurrency, CONNECTIONS_MAX) + 4 });
    const slots = new Slots(concurrency);
    const closing = new AbortController();
    const closed = once(closing.signal, "abort");
    const handle = async (row: Row): Promise<void> => {
      await onTask((JSON.parse(row.biz_context) as { seq: number }).seq);
      await pool.execute(SUCCESS, [row.id]);
    };
    const runEagerly = async (id: number): Promise<void> => {
      const [taken] = await pool.execute<ResultSetHeader>(TAKE_ONE, [IP, id]);
      if (taken.affectedRows === 0) return;
      const [rows] = await pool.execute(READ_ONE, [id]);
      const [row] = rows as Row[];
      if (row) await handle(row);
    };
    // A deadlock with another poller ends one poll, not the poller.
    const pollOnce = async (): ReturnType<typeof takeBatch> => {
      for (;;) {
        try {
          await pool.execute(RECYCLE);
          return await takeBatch(pool);
        } catch (error) {
          if (!/deadlock/i.test(String(error))) throw error;
        }
      }
    };
    const poll = async (): Promise<void> => {
      while (!closing.signal.aborted) {
        const [rows, taken] = await pollOnce();
        await Promise.race([Promise.all(rows.map((row) => slots.submit(() => handle(row)))), closed]);
        if (taken === 0) await sleep(POLL_INTERVAL_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    };
    let polling: Promise<void> | undefined;
    return {
      enqueue: async (seq) => {
        const id = await insertInTransaction(producers, `${INSERT}${ROW}`, [EVENT_TYPE, keyOf(seq), payloadText(seq)]);
        if (mode === "eager") void slots.submit(() => runEagerly(id));
      },
      enqueueMany: async (seqs) => {
        const values = seqs.flatMap((seq) => [EVENT_TYPE, keyOf(seq), payloadText(seq)]);
        await insertInTransaction(producers, INSERT + seqs.map(() => ROW).join(","), values);
      },
      work: async () => {
        polling = poll();
      },
      close: async () => {
        closing.abort();
        await polling;
        await slots.whenIdle();
        await Promise.all([producers.end(), pool.end()]);
      },
    };
  },
};

async function takeBatch(pool: Pick<Pool, "execute">): Promise<[rows: readonly Row[], taken: number]> {
  const [taken] = await pool.execute<ResultSetHeader>(TAKE_BATCH, [IP]);
  if (taken.affectedRows === 0) return [[], 0];
  const [rows] = await pool.execute(READ_BATCH, [IP]);
  return [rows as Row[], taken.affectedRows];
}

async function insertInTransaction(pool: Pool, text: string, values: readonly (string | number)[]): Promise<number> {
  const connection = await pool.getConnection();
  try {
    await connection.query("START TRANSACTION");
    const [header] = await connection.query<ResultSetHeader>(text, [...values]);
    await connection.query("COMMIT");
    return header.insertId;
  } finally {
    connection.release();
  }
}

/** The article's thread pool: so many run at once, the rest wait in line. */
class Slots {
  readonly #limit: number;
  #running = 0;
  #waiting: (() => void)[] = [];
  #idle: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  submit(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const start = (): void => {
        this.#running++;
        void work()
          .catch(() => undefined)
          .then(() => {
            this.#running--;
            this.#waiting.shift()?.();
            resolve();
            if (this.#running === 0) for (const wake of this.#idle.splice(0)) wake();
          });
      };
      if (this.#running < this.#limit) start();
      else this.#waiting.push(start);
    });
  }

  whenIdle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}
