import { systemClock } from "../engine/clock.ts";
import { browseArchive } from "../../db/queries/browse-archive.ts";
import { findArchivedKeys, listArchiveByBizKey } from "../../db/queries/list-archive.ts";
import { showArchivedTask } from "../../db/queries/show-archived-task.ts";
import type { Session } from "../../db/session.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { claimDueTasks } from "../../db/queries/claim-tasks.ts";
import { ArchivePace } from "../duties/archive-pace.ts";
import { runArchive } from "../duties/archive-run.ts";

/*
 * The figures of docs/decisions/0008-archive.md: moves ROWS tasks without a limit of rows per second, first into an empty
 * archive and again into one that holds ARCHIVED rows, and prints rows per second; then moves ROWS at 5,000 rows/s while
 * tasks are created and claimed, and prints how long these took, beside the same without the archiver. With ROWS 0 it
 * prints how long a page of each kind takes in an archive of ARCHIVED rows over 400 days.
 *   node --import tsx worker/testing/measure-archive.ts ROWS ARCHIVED
 */

const [rows = 100_000, archived = 1_000_000] = process.argv.slice(2).map(Number);
const OLD = "TIMESTAMPADD(DAY, -9, UTC_TIMESTAMP(3))";

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function fill(test: TestDatabase, count: number, prefix: string): Promise<void> {
  const payload = JSON.stringify({ orderId: "o-1234567890", note: "x".repeat(200) });
  for (let start = 0; start < count; start += 5_000) {
    const values = Array.from(
      { length: Math.min(5_000, count - start) },
      (_, n) =>
        `('PAY', '${prefix}-${start + n}', '${payload}', 1, 10, 'EXPONENTIAL', 10, TIMESTAMPADD(SECOND, ${(start + n) % 80_000}, ${OLD}), ${OLD}, TIMESTAMPADD(DAY, 1, ${OLD}), TIMESTAMPADD(DAY, 1, ${OLD}), 'success')`,
    );
    await test.pool.query(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval,
        next_retry_time, create_time, update_time, finished_time, finish_reason) VALUES ${values.join(",")}`,
    );
  }
  // One task in ten has a history of one entry.
  await test.pool.query(
    "INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, error, create_time) SELECT id, event_type, 'retried', 1, 1, 'boom', create_time FROM t_retry_task WHERE id % 10 = 0 AND status = 1",
  );
}

async function move(test: TestDatabase, rowsPerSecond: number) {
  const pace = new ArchivePace({ rowsPerSecond, brakes: [], clock: systemClock });
  const started = performance.now();
  const report = await runArchive({
    database: test.database,
    clock: systemClock,
    pace,
    signal: new AbortController().signal,
  });
  const seconds = (performance.now() - started) / 1_000;
  return {
    tasks: report.tasks,
    attempts: report.attempts,
    seconds: Number(seconds.toFixed(1)),
    perSecond: Math.round(report.tasks / seconds),
  };
}

async function latencies(test: TestDatabase, until: Promise<unknown>, prefix: string) {
  let isOver = false;
  void until.finally(() => (isOver = true));
  const insertMs: number[] = [];
  const claimMs: number[] = [];
  for (let n = 0; !isOver; n++) {
    const t0 = performance.now();
    await test.pool.query(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time)
        VALUES ('PAY', ?, '{}', 0, 10, 'FIXED', 10, TIMESTAMPADD(SECOND, -1, UTC_TIMESTAMP(3)))`,
      [`${prefix}-${n}`],
    );
    const t1 = performance.now();
    await test.database.transaction((session) =>
      claimDueTasks(session, { owner: "o", ip: "1" }, { eventType: "PAY", limit: 10 }),
    );
    claimMs.push(performance.now() - t1);
    insertMs.push(t1 - t0);
    await systemClock.sleep(10, new AbortController().signal);
  }
  const at = (all: number[], share: number) =>
    Number([...all].sort((a, b) => a - b)[Math.floor(all.length * share)]?.toFixed(1));
  const of = (all: number[]) => ({ n: all.length, p50: at(all, 0.5), p99: at(all, 0.99), max: at(all, 0.9999) });
  return { insertMs: of(insertMs), claimMs: of(claimMs) };
}

/** How long a page of each kind takes in an archive of `count` rows over 400 days. */
async function browse(test: TestDatabase, count: number) {
  const now = Date.now();
  const days = 400;
  const parts = Array.from({ length: days }, (_, index) => {
    const end = new Date((Math.floor(now / 86_400_000) - days + 2 + index) * 86_400_000);
    return `PARTITION d${index} VALUES LESS THAN ('${test.zone.format(end)}')`;
  });
  for (const table of ["t_retry_task_archive", "t_retry_attempt_archive"]) {
    await test.pool.query(`TRUNCATE TABLE ${table}`);
    const [names] = await test.pool.query(
      "SELECT PARTITION_NAME AS name FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?",
      [table],
    );
    const old = (names as { name: string }[]).map(({ name }) => name).join(", ");
    await test.pool.query(
      `ALTER TABLE ${table} REORGANIZE PARTITION ${old} INTO (${parts.join(", ")}, PARTITION p_default VALUES LESS THAN (MAXVALUE))`,
    );
  }
  const at = (n: number) => test.zone.format(new Date(now - (n / count) * days * 86_400_000));
  for (let start = 0; start < count; start += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, count - start) }, (_, index) => {
      const n = start + index;
      return `(${count - n}, '${at(n)}', 'T${n % 20}', 'key-${n % (count / 2)}', '{"note":"${"x".repeat(100)}"}', ${n % 50 === 0 ? 2 : 1}, 1, 10, 'FIXED', 10, '${at(n)}', '${at(n)}', '${at(n)}', 1, 0, ${n % 50 === 0 ? `'f${n % 7}'` : "NULL"})`;
    });
    await test.pool.query(
      `INSERT INTO t_retry_task_archive (id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
        first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count, error_fingerprint) VALUES ${rows.join(",")}`,
    );
  }
  const from = new Date(now - 30 * 86_400_000);
  const week = 7 * 86_400_000;
  const kinds: Record<string, (session: Session) => Promise<unknown>> = {
    "type, newest": (session) => browseArchive(session, { filter: { eventTypes: ["T3"] }, limit: 50 }),
    "type, 30 days": (session) => browseArchive(session, { filter: { eventTypes: ["T3"], from }, limit: 50 }),
    "type and status, 30 days": (session) =>
      browseArchive(session, { filter: { eventTypes: ["T0"], status: "failed", from }, limit: 50 }),
    "cause, newest": (session) => browseArchive(session, { filter: { errorFingerprint: "f3" }, limit: 50 }),
    key: (session) => listArchiveByBizKey(session, "key-77"),
    id: (session) => showArchivedTask(session, "12345"),
    "dedupe, one key, 7 days": (session) => findArchivedKeys(session, [{ eventType: "T3", bizKey: "key-77" }], week),
  };
  const medians: Record<string, number> = {};
  for (const [name, look] of Object.entries(kinds)) {
    const ms: number[] = [];
    for (let n = 0; n < 21; n++) {
      const startedMs = performance.now();
      await test.database.use(look);
      ms.push(performance.now() - startedMs);
    }
    medians[name] = Number(ms.sort((one, other) => one - other)[10]?.toFixed(1));
  }
  return medians;
}

const test = await createTestDatabase();
try {
  say({ server: test.kind, rows, archived });
  if (rows === 0) {
    say({ browseMs: await browse(test, archived), days: 400 });
    process.exitCode = 0;
  } else await moving(test);
} finally {
  await test.drop();
}

async function moving(test: TestDatabase): Promise<void> {
  await fill(test, rows, "first");
  say({ intoEmpty: await move(test, 0) });
  for (let have = rows; have < archived; have *= 2) {
    const limit = Math.min(have, archived - have);
    for (const [table, columns] of [
      [
        "t_retry_task_archive",
        "event_type, biz_context, status, retry_count, max_retry_count, retry_strategy, first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count, finish_reason, finished_time, archived_time",
      ],
    ] as const) {
      await test.pool.query(
        `INSERT INTO ${table} (id, biz_key, ${columns}) SELECT id + ${100_000_000 + have}, CONCAT(biz_key, '-${have}'), ${columns} FROM ${table} LIMIT ${limit}`,
      );
    }
  }
  await fill(test, rows, "second");
  say({ intoFull: await move(test, 0) });
  say({ alone: await latencies(test, systemClock.sleep(5_000, new AbortController().signal), "alone") });
  await fill(test, rows, "third");
  const third = move(test, 5_000);
  const beside = await latencies(test, third, "beside");
  say({ besideArchiver: beside, at5000: await third });
}
