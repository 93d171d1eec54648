import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { mysqlConditions } from "../conditions.ts";
import type { Entry } from "../contestant.ts";
import { payloadOf } from "../payload.ts";
import { insertNumbered, TEMPLATE, writeOut } from "./numbered-rows.ts";

/** A peer's own table of jobs on MySQL or MariaDB. */
export interface PeerTable {
  readonly table: string;
  /** Makes the tables and enqueues one job in the peer's own way; its row is the template of all that are made here. */
  setUp(test: TestDatabase): Promise<void>;
  /** Columns that a copy has otherwise, as SQL; `payload` is the JSON text of task `n`. */
  readonly pending: (payload: string) => Readonly<Record<string, string>>;
  readonly finished: Readonly<Record<string, string>>;
  /** Columns that the table fills by itself. */
  readonly omit: readonly string[];
  /** A condition that holds for jobs that have not ended. */
  readonly open: string;
}

/** A new database with the peer's tables. */
export async function enterPeerTable(server: string | undefined, peer: PeerTable): Promise<Entry> {
  const test = await createTestDatabase({ migrated: false, ...(server ? { base: server } : {}) });
  const { pool } = test;
  const analyze = () => pool.query(`ANALYZE TABLE ${peer.table}`);
  try {
    await peer.setUp(test);
    await pool.query(`CREATE TABLE ${TEMPLATE} AS SELECT * FROM ${peer.table}`);
    await pool.query(`DELETE FROM ${peer.table}`);
    const names = await columnsOf(test, peer);
    const insert = async (from: number, count: number, more: Readonly<Record<string, string>>) => {
      const own: Readonly<Record<string, string>> = { ...peer.pending(payloadSql(test, from)), ...more };
      const columns = Object.fromEntries(names.map((name) => [name, own[name] ?? `t.\`${name}\``]));
      await insertNumbered(pool, count, peer.table, columns, { template: true });
      await analyze();
    };
    return {
      url: test.url,
      conditions: await mysqlConditions(pool),
      preload: (from, count) => insert(from, count, {}),
      fillFinished: async (count) => {
        await insert(0, count, peer.finished);
        await writeOut(pool, peer.table);
      },
      remaining: async () => {
        const [rows] = await pool.query(`SELECT COUNT(*) AS count FROM ${peer.table} WHERE ${peer.open}`);
        return Number((rows as { count: number }[])[0]?.count);
      },
      leave: () => test.drop(),
    };
  } catch (error) {
    await test.drop();
    throw error;
  }
}

async function columnsOf({ pool }: TestDatabase, { table, omit }: PeerTable): Promise<string[]> {
  const [columns] = await pool.query(`SHOW COLUMNS FROM ${table}`);
  return (columns as { Field: string; Extra: string }[])
    .filter(
      ({ Field, Extra }) => !omit.includes(Field) && !/GENERATED|auto_increment/i.test(Extra.replace("DEFAULT_", "")),
    )
    .map(({ Field }) => Field);
}

/** The payload of task `from + n`, as an SQL expression. */
function payloadSql({ pool }: TestDatabase, from: number): string {
  const number = `n + ${from}`;
  const parts = JSON.stringify({ ...payloadOf(0), seq: "@", orderId: "ORD@" }).split(/"@"|@/);
  return `CONCAT(${parts.map((part) => pool.escape(part)).join(`, ${number}, `)})`;
}
