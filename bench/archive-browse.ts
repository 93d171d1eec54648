import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import type { Pool } from "mysql2/promise";
import { type ArchiveFilter, browseArchive, countArchive } from "../db/queries/browse-archive.ts";
import { showArchivedTask } from "../db/queries/show-archived-task.ts";
import type { Session } from "../db/session.ts";
import { createTestDatabase, type TestDatabase } from "../db/testing/test-database.ts";

/*
 * How long a page of the archive takes at size, in a database of its own on DATABASE_URL (the name in it is not touched),
 * which is dropped afterwards:
 *   DATABASE_URL=mysql://root@127.0.0.1:3306 node --import tsx bench/archive-browse.ts --rows 5000000
 * Rows spread evenly over the days, unevenly over 14 types and 300 causes; one key in twenty comes back. Each look asks
 * for another place, so that pages which are not in memory count too. One JSON object on stdout, progress on stderr.
 */

const DAY_MS = 86_400_000;
const TYPES = 14;
const CAUSES = 300;
const ROWS_PER_INSERT = 4_000;
const NOTE = "x".repeat(120);

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "5000000" },
    days: { type: "string", default: "90" },
    looks: { type: "string", default: "60" },
    seconds: { type: "string", default: "86400" },
  },
});
const wanted = Number(values.rows);
const days = Number(values.days);
const looks = Number(values.looks);
const url = process.env["DATABASE_URL"];
if (url === undefined || !(wanted >= 1_000 && wanted <= 500_000_000) || !(days >= 31 && days <= 400) || !(looks >= 1)) {
  console.error(
    "usage: DATABASE_URL=… bench/archive-browse.ts [--rows 1000 to 500000000] [--days 31 to 400] [--looks N] [--seconds N: stop filling after]",
  );
  process.exit(2);
}

const test = await createTestDatabase({ base: url });
try {
  const end = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  await makeDays(test, end);
  const filled = await fill(test, end);
  const [[server]] = (await test.pool.query(
    "SELECT VERSION() AS version, @@innodb_buffer_pool_size DIV 1048576 AS bufferPoolMb, @@innodb_flush_log_at_trx_commit AS flush",
  )) as unknown as [[Record<string, unknown>]];
  const [[size]] = (await test.pool.query(
    "SELECT ROUND(SUM(DATA_LENGTH + INDEX_LENGTH) / 1048576) AS mb FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 't_retry_task_archive'",
  )) as unknown as [[{ mb: string | number }]];
  console.log(
    JSON.stringify({
      server: { kind: test.kind, ...server },
      machine: {
        cpu: cpus()[0]?.model,
        cores: cpus().length,
        memoryGb: Math.round(totalmem() / 2 ** 30),
        node: process.version,
      },
      ...filled,
      days,
      megabytes: Number(size.mb),
      looks,
      ms: await measure(test, end, filled.rows),
    }),
  );
} finally {
  await test.drop();
}

async function makeDays({ pool, zone }: TestDatabase, end: number): Promise<void> {
  const parts = Array.from({ length: days }, (_, index) => {
    const start = new Date(end - (days - index) * DAY_MS);
    const name = `p${start.toISOString().slice(0, 10).replaceAll("-", "")}`;
    return `PARTITION ${name} VALUES LESS THAN ('${zone.format(new Date(start.getTime() + DAY_MS))}')`;
  });
  await pool.query(
    `ALTER TABLE t_retry_task_archive REORGANIZE PARTITION p_default INTO (${parts.join(", ")}, PARTITION p_default VALUES LESS THAN (MAXVALUE))`,
  );
}

/** Oldest rows first, as an archiver writes them, until there are enough or the time is up. */
async function fill(test: TestDatabase, end: number): Promise<{ rows: number; fillSeconds: number }> {
  const startedMs = performance.now();
  const seconds = () => (performance.now() - startedMs) / 1_000;
  const connection = await test.pool.getConnection();
  // Rows that are thrown away need not fill the binary log; a user who may not say so writes it.
  await connection.query("SET SESSION sql_log_bin = 0").catch(() => undefined);
  const total = Math.ceil(wanted / ROWS_PER_INSERT) * ROWS_PER_INSERT;
  // Every insert covers all days: whenever it stops, the archive has its shape.
  let rows = 0;
  for (; rows < total && seconds() < Number(values.seconds); rows += ROWS_PER_INSERT) {
    await insert(connection, test, end, rows, total);
    if ((rows / ROWS_PER_INSERT) % 100 === 0)
      console.error(`${rows} of ${total} rows, ${Math.round(rows / seconds())}/s`);
  }
  await connection.query("ANALYZE TABLE t_retry_task_archive");
  connection.release();
  return { rows, fillSeconds: Math.round(seconds()) };
}

async function insert(
  connection: Pick<Pool, "query">,
  { zone }: TestDatabase,
  end: number,
  start: number,
  total: number,
): Promise<void> {
  const lines: string[] = [];
  // One day at a time, days in turn, so that a page of the index belongs to few statements.
  const day = (start / ROWS_PER_INSERT) % days;
  for (let n = start; n < start + ROWS_PER_INSERT; n++) {
    const at = zone.format(
      new Date(
        end - (days - day) * DAY_MS + Math.floor(DAY_MS * ((n % ROWS_PER_INSERT) / ROWS_PER_INSERT)) + (n % 997),
      ),
    );
    const failed = spread(n, 3) < 0.02;
    const key = spread(n, 5) < 0.05 ? Math.floor(spread(n, 7) * total * 0.05) : n;
    const cause = failed
      ? `'${(Math.floor(spread(n, 11) ** 3 * CAUSES) + 4096).toString(16).padStart(16, "0")}'`
      : "NULL";
    const error = failed ? `'PaymentGatewayError: upstream answered ${500 + (n % 5)} for order ${n}'` : "NULL";
    lines.push(
      `(${n + 1}, '${at}', '${typeOf(n)}', 'order-${String(key).padStart(12, "0")}', '{"orderId":"${n}","amount":${n % 10_000},"note":"${NOTE}"}', ${failed ? 2 : 1}, ${failed ? 8 : 0}, 8, 'EXPONENTIAL', 10, '${at}', '${at}', '${at}', 1, 0, '${failed ? "exhausted" : "success"}', '${at}', ${cause}, ${error})`,
    );
  }
  await connection.query(
    `INSERT INTO t_retry_task_archive (id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
      first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count, finish_reason, finished_time, error_fingerprint, last_error)
      VALUES ${lines.join(",")}`,
  );
}

async function measure(
  test: TestDatabase,
  end: number,
  rows: number,
): Promise<Record<string, { p50: number; p95: number }>> {
  const week = (n: number) => {
    const to = end - Math.floor(spread(n, 13) * (days - 8)) * DAY_MS;
    return { from: new Date(to - 7 * DAY_MS), to: new Date(to) };
  };
  const month = { from: new Date(end - 31 * DAY_MS), to: new Date(end) };
  const anyRow = (n: number) => Math.floor(spread(n, 17) * rows);
  const browse = (filter: ArchiveFilter) => (session: Session) => browseArchive(session, { filter, limit: 50 });
  const kinds: Record<string, (n: number) => (session: Session) => Promise<unknown>> = {
    "one type, 7 days": (n) => browse({ ...week(n), eventTypes: [typeOf(n)] }),
    "one type, 31 days": (n) => browse({ ...month, eventTypes: [typeOf(n)] }),
    "all types, 7 days": (n) => browse(week(n)),
    "all types, page in the middle of 7 days": (n) => (session) => {
      const interval = week(n);
      const archivedTime = session.zone.format(new Date(interval.to.getTime() - spread(n, 19) * 7 * DAY_MS));
      return browseArchive(session, {
        filter: interval,
        limit: 50,
        cursor: { direction: "older", archivedTime, id: "1" },
      });
    },
    "one type, failed only, 7 days": (n) => browse({ ...week(n), eventTypes: [typeOf(n)], status: "failed" }),
    "one cause, 31 days": (n) =>
      browse({
        ...month,
        errorFingerprint: (Math.floor(spread(n, 23) ** 3 * CAUSES) + 4096).toString(16).padStart(16, "0"),
      }),
    "biz key, all days": (n) => browse({ bizKey: `order-${String(anyRow(n)).padStart(12, "0")}` }),
    "id, all days": (n) => browse({ id: String(anyRow(n) + 1) }),
    "one task with its payload": (n) => (session) => showArchivedTask(session, String(anyRow(n) + 1)),
    "count, all types, 7 days": (n) => (session) => countArchive(session, week(n)),
  };
  const figures: Record<string, { p50: number; p95: number }> = {};
  for (const [name, kind] of Object.entries(kinds)) {
    const ms: number[] = [];
    for (let n = 0; n < looks; n++) {
      const startedMs = performance.now();
      await test.database.use(kind(n));
      ms.push(performance.now() - startedMs);
    }
    ms.sort((one, other) => one - other);
    const at = (share: number) => Number(ms[Math.min(ms.length - 1, Math.floor(share * ms.length))]?.toFixed(1));
    figures[name] = { p50: at(0.5), p95: at(0.95) };
    console.error(`${name}: ${JSON.stringify(figures[name])}`);
  }
  return figures;
}

/** A number from 0 to 1 that looks random and is the same in each run. */
function spread(n: number, salt: number): number {
  let hash = Math.imul(n ^ (salt * 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** A few types have most of the rows. */
function typeOf(n: number): string {
  return `TYPE_${Math.floor(spread(n, 29) ** 2 * TYPES)}`;
}
