import mysql, { type Pool, type ResultSetHeader } from "mysql2/promise";
import { ARTICLE_TABLE } from "../../db/testing/article-table.ts";
import type { Contestant, Mode } from "../contestant.ts";
import { EVENT_TYPE, keyOf, payloadText } from "../payload.ts";
import { analyze, countRows, fillFinishedRows, insertPendingRows } from "./task-table.ts";

/*
 * The well-known article's SQL, literally, as a team writes it by hand over mysql2. Its poll waits 10 s between batches of
 * 50; for the drain that wait is left out, or nothing could be compared.
 */

const IP = "127.0.0.1";
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

export const article: Contestant = {
  name: "article",
  modes: ["enqueue", "eager", "drain"] satisfies readonly Mode[],
  migrated: false,
  setUp: async (test) => void (await test.pool.query(ARTICLE_TABLE)),
  preload: async (test, from, count) => {
    await insertPendingRows(test, from, count);
    await analyze(test);
  },
  fillFinished: async (test, count) => {
    await fillFinishedRows(test, count);
    await analyze(test);
  },
  remaining: (test) => countRows(test, "status IN (0, 3)"),
  commitsItself: (text) => text.startsWith("UPDATE"),
  async open(test, { mode, concurrency, connections, onTask }) {
    const producers = mysql.createPool({ ...test.connection, connectionLimit: connections });
    const pool = mysql.createPool({ ...test.connection, connectionLimit: concurrency + 4 });
    const slots = new Slots(concurrency);
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
    let isClosed = false;
    let polling: Promise<void> | undefined;
    return {
      enqueue: async (seq) => {
        const id = await insertInTransaction(producers, `${INSERT}${ROW}`, [EVENT_TYPE, keyOf(seq), payloadText(seq)]);
        if (mode === "eager") slots.submit(() => runEagerly(id));
      },
      enqueueMany: async (seqs) => {
        const values = seqs.flatMap((seq) => [EVENT_TYPE, keyOf(seq), payloadText(seq)]);
        await insertInTransaction(producers, INSERT + seqs.map(() => ROW).join(","), values);
      },
      work: async () => {
        polling = (async () => {
          while (!isClosed) {
            await pool.execute(RECYCLE);
            const [taken] = await pool.execute<ResultSetHeader>(TAKE_BATCH, [IP]);
            if (taken.affectedRows === 0) return;
            const [rows] = await pool.execute(READ_BATCH, [IP]);
            await Promise.all((rows as Row[]).map((row) => slots.submit(() => handle(row))));
          }
        })();
      },
      close: async () => {
        isClosed = true;
        await polling;
        await slots.whenIdle();
        await Promise.all([producers.end(), pool.end()]);
      },
    };
  },
};

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
