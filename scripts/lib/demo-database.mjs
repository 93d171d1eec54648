import { hostname } from "node:os";
import { pathToFileURL } from "node:url";
import { ensureDatabase, findRunningDatabase, stopDatabase } from "./database.mjs";
import { createDatabase } from "./database-url.mjs";
import { log, SetupError } from "./log.mjs";
import { inRoot } from "./paths.mjs";

const eventTypes = ["PAY_ORDER", "SEND_SMS", "SYNC_ERP"];
const statusNames = { 0: "pending", 1: "succeeded", 2: "failed", 3: "running", 4: "cancelled" };

/**
 * @typedef {{ pending: number, succeeded: number, failed: number, running: number, cancelled: number }} StatusCounts
 * @typedef {{ id: string, eventType: string, bizKey: string, status: keyof StatusCounts, retryCount: number, recycleCount: number, finishReason: string | null }} TaskRow
 * @typedef {{ id: string, state: string, paidCount: number }} OrderRow
 */

/**
 * Finds or starts the database of the demo. Needs the node modules.
 *
 * @returns {Promise<{ url: string, wasStartedHere: boolean }>}
 */
export async function prepareDatabase() {
  if (process.env.DATABASE_URL) {
    await refuseRealTasks(process.env.DATABASE_URL);
    return { url: process.env.DATABASE_URL, wasStartedHere: false };
  }
  const wasRunning = (await findRunningDatabase()) !== null;
  const { url } = await ensureDatabase({ log });
  return { url: await createDatabase(url), wasStartedHere: !wasRunning };
}

/**
 * The demo's handlers would run whatever tasks they find: a database that has a task table and was never the demo's is
 * somebody's own.
 *
 * @param {string} url
 */
async function refuseRealTasks(url) {
  const { createConnection } = await import("mysql2/promise");
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query(
      "SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN ('t_retry_task', 'demo_order')",
    );
    const names = rows.map((row) => row.name);
    if (names.includes("t_retry_task") && !names.includes("demo_order")) {
      throw new SetupError(
        "DATABASE_URL names a database with a task table of yours; the demo would run its tasks with handlers made for show.\n" +
          "Create an empty database on that server and name it instead.",
      );
    }
  } finally {
    await connection.end();
  }
}

/** What the demo reads of its database: the tasks and orders of one run, which all carry the run's prefix. */
export class DemoDatabase {
  #pool;

  /** @param {import("mysql2/promise").Pool} pool */
  constructor(pool) {
    this.#pool = pool;
  }

  /**
   * Needs the node modules and the server build.
   *
   * @param {string} url
   * @returns {Promise<DemoDatabase>}
   */
  static async open(url) {
    const { createPool } = await import("mysql2/promise");
    const { parseDatabaseUrl } = await import(pathToFileURL(inRoot("dist", "db", "connection-options.js")).href);
    const options = { connectionLimit: 3, supportBigNumbers: true, bigNumberStrings: true, dateStrings: true };
    return new DemoDatabase(createPool({ ...parseDatabaseUrl(url), ...options }));
  }

  /**
   * @param {string | null} prefix null counts the tasks of every run
   * @returns {Promise<StatusCounts>}
   */
  async countTasks(prefix) {
    const [where, values] = prefix === null ? ["event_type IN (?)", [eventTypes]] : ["biz_key LIKE ?", [`${prefix}-%`]];
    const rows = await this.#rows(
      `SELECT status, COUNT(*) AS count FROM t_retry_task WHERE ${where} GROUP BY status`,
      values,
    );
    const counts = { pending: 0, succeeded: 0, failed: 0, running: 0, cancelled: 0 };
    for (const row of rows) counts[statusNames[row.status]] += Number(row.count);
    return counts;
  }

  /**
   * @param {number[]} pids of worker processes on this machine
   * @returns {Promise<{ pid: number, running: number }[]>} those that hold running tasks, the busiest first
   */
  async busyWorkers(pids) {
    const rows = await this.#rows(
      `SELECT w.pid, COUNT(*) AS running FROM t_retry_task t JOIN t_retry_worker w ON w.owner = t.owner
        WHERE t.event_type IN (?) AND t.status = 3 AND w.pid IN (?) AND w.host = ? AND w.state = 'running'
        GROUP BY w.pid ORDER BY running DESC`,
      [eventTypes, pids, hostname()],
    );
    return rows.map((row) => ({ pid: Number(row.pid), running: Number(row.running) }));
  }

  /**
   * @param {string} prefix
   * @returns {Promise<TaskRow[]>} wherever they are: in the live table or in the archive
   */
  async listTasks(prefix) {
    const found = await this.#rows(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()
        AND table_name IN ('t_retry_task', 't_retry_task_archive')`,
      [],
    );
    const columns = "CAST(id AS CHAR) AS id, event_type, biz_key, status, retry_count, recycle_count, finish_reason";
    const rows = [];
    for (const { name } of found) {
      rows.push(...(await this.#rows(`SELECT ${columns} FROM ${name} WHERE biz_key LIKE ?`, [`${prefix}-%`])));
    }
    return rows.map((row) => ({
      id: row.id,
      eventType: row.event_type,
      bizKey: row.biz_key,
      status: statusNames[row.status],
      retryCount: row.retry_count,
      recycleCount: row.recycle_count,
      finishReason: row.finish_reason,
    }));
  }

  /**
   * @param {string} prefix
   * @returns {Promise<OrderRow[]>}
   */
  async listOrders(prefix) {
    return this.#rows("SELECT id, state, paid_count AS paidCount FROM demo_order WHERE id LIKE ?", [`${prefix}-%`]);
  }

  /** @returns {Promise<number>} processes that work on this database now, ours or others */
  async countLiveWorkers() {
    const rows = await this.#rows(
      `SELECT COUNT(*) AS count FROM t_retry_worker WHERE state <> 'stopped'
        AND beat_time > TIMESTAMPADD(MICROSECOND, dead_after_ms * -1000, UTC_TIMESTAMP(3))`,
      [],
    );
    return Number(rows[0].count);
  }

  /** @returns {Promise<boolean>} whether somebody else is connected to the server */
  async hasOtherUsers() {
    const rows = await this.#rows(
      `SELECT COUNT(*) AS count FROM information_schema.processlist
        WHERE id <> CONNECTION_ID() AND command <> 'Daemon' AND user NOT IN ('system user', 'event_scheduler')`,
      [],
    );
    return Number(rows[0].count) > 0;
  }

  async close() {
    await this.#pool.end();
  }

  async #rows(text, values) {
    const [rows] = await this.#pool.query(text, values);
    return rows;
  }
}

/**
 * Stops the private database if this demo has started it and nobody else has come to use it.
 *
 * @param {{ url: string, wasStartedHere: boolean }} prepared
 * @returns {Promise<void>}
 */
export async function leaveDatabase({ url, wasStartedHere }) {
  if (!wasStartedHere) return;
  const database = await DemoDatabase.open(url);
  const isShared = await database.hasOtherUsers();
  await database.close();
  if (!isShared) await stopDatabase();
}
