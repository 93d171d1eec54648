import mysql from "mysql2/promise";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import type { Contestant } from "../contestant.ts";
import { inTransaction } from "../in-transaction.ts";
import { EVENT_TYPE } from "../payload.ts";
import { redrive } from "./redrive.ts";
import { insertText, insertValues } from "./task-table.ts";

const BATCH_ROWS = 200;
const DRAIN_LOOPS = 4;

/**
 * The floor under any engine on this table: the SQL alone. Enqueue and eager are the business transaction with one insert
 * and nothing after it; a drain is four loops of claim and success in batches without a handler.
 */
export const bare: Contestant = {
  ...redrive,
  name: "bare",
  commitsItself: () => false,
  async open(store, { mode, connections, onTask }) {
    const pool = mysql.createPool({ ...parseDatabaseUrl(store), connectionLimit: Math.max(connections, DRAIN_LOOPS) });
    pool.on("connection", (connection) => {
      if (mode === "drain") connection.query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    });
    const insert = async (seqs: readonly number[]): Promise<void> => {
      await inTransaction(pool, (connection) => connection.query(insertText(seqs.length), insertValues(seqs)));
      if (mode === "eager") for (const seq of seqs) void onTask(seq);
    };
    let loops: Promise<void>[] = [];
    return {
      enqueue: (seq) => insert([seq]),
      enqueueMany: insert,
      work: async () => {
        loops = Array.from({ length: DRAIN_LOOPS }, () => drain(pool, onTask));
      },
      close: async () => {
        await Promise.all(loops);
        await pool.end();
      },
    };
  },
};

async function drain(pool: mysql.Pool, onTask: (seq: number) => Promise<void> | void): Promise<void> {
  for (;;) {
    const rows = await inTransaction(pool, async (connection) => {
      const [found] = await connection.query(
        `SELECT id, biz_context FROM t_retry_task FORCE INDEX (idx_claim) WHERE event_type = '${EVENT_TYPE}' AND status = 0
          AND next_retry_time <= UTC_TIMESTAMP(3) ORDER BY next_retry_time, id LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED`,
      );
      const claimed = found as { id: number; biz_context: string }[];
      if (claimed.length > 0) {
        await connection.query(
          `UPDATE t_retry_task SET status = 3, owner = 'bare', claim_no = claim_no + 1, started_time = UTC_TIMESTAMP(3) WHERE id IN (${idsOf(claimed)})`,
        );
      }
      return claimed;
    });
    if (rows.length === 0) return;
    for (const row of rows) void onTask((JSON.parse(row.biz_context) as { seq: number }).seq);
    await inTransaction(pool, (connection) =>
      connection.query(
        `UPDATE t_retry_task SET status = 1, finish_reason = 'success', finished_time = UTC_TIMESTAMP(3) WHERE status = 3 AND owner = 'bare' AND id IN (${idsOf(rows)})`,
      ),
    );
  }
}

function idsOf(rows: readonly { readonly id: number }[]): string {
  return rows
    .map((row) => row.id)
    .sort((a, b) => a - b)
    .join(",");
}
