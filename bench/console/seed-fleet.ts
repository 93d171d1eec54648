import { hashPassword } from "../../db/password-hash.ts";
import { findAccount, insertAccount } from "../../db/queries/accounts.ts";
import { ROLLUP_MS } from "../../db/queries/metric-rollups.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import { BULK_TYPE, eventTypes, WORKER } from "./seed-plan.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WORKERS = 10;

/** The account that the bench signs in as; it exists in this throw-away database only. */
export const ACCOUNT = { name: "bench", password: "walnut-cradle-81-thimble" } as const;

/** What tells of the present moment, made anew by each run: types, workers, a week of metrics, an account. */
export async function seedFleet(test: TestDatabase): Promise<void> {
  const now = Date.now();
  const { pool, zone } = test;
  const at = (agoMs: number) => `'${zone.format(new Date(now - agoMs))}'`;
  const names = [...eventTypes, BULK_TYPE];
  await pool.query(
    `INSERT IGNORE INTO t_retry_event_type (event_type, code_settings, create_time, update_time)
      VALUES ${names.map((name) => `('${name}', '{}', ${at(0)}, ${at(0)})`).join(", ")}`,
  );
  await pool.query("DELETE FROM t_retry_worker");
  const workers = Array.from({ length: WORKERS }, (_, n) => (n === 0 ? WORKER : `bench-worker-${n}`));
  await pool.query(
    `INSERT INTO t_retry_worker (owner, host, pid, version, state, dead_after_ms, event_types, pools, started_time, beat_time)
      VALUES ${workers.map((owner, n) => `('${owner}', 'host-${n}', 1, '0.1.0', 'running', 86400000, ?, '{}', ${at(HOUR_MS)}, ${at(0)})`).join(", ")}`,
    workers.map(() => JSON.stringify(names)),
  );
  await seedMetrics(test, names, workers, now);
  const passwordHash = await hashPassword(ACCOUNT.password);
  await test.database.transaction(async (session) => {
    if (await findAccount(session, ACCOUNT.name)) return;
    await insertAccount(session, { name: ACCOUNT.name, role: "admin", scopes: undefined, passwordHash });
  });
}

/** Ninety minutes by minute and worker, and buckets as the elected worker would have folded them. */
async function seedMetrics(
  { pool, zone }: TestDatabase,
  names: readonly string[],
  workers: readonly string[],
  now: number,
): Promise<void> {
  await pool.query("TRUNCATE TABLE t_retry_metric");
  const bucket = (name: string, source: string, startMs: number, what: { gauges: boolean; minutes: number }) => {
    const count = (perMinute: number) => Math.round(what.minutes * perMinute);
    const gauges = what.gauges ? "900, 90, 9, 12, 1500" : "NULL, NULL, NULL, NULL, NULL";
    return `('${zone.format(new Date(startMs))}', '${name}', '${source}', ${gauges}, ${count(60)}, ${count(55)}, ${count(5)}, '[0,0,0,12,40,3,0,0,0,0,0,0,0,0,0,0]')`;
  };
  const rows: string[] = [];
  const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  for (const name of names) {
    for (let ago = 0; ago <= 90; ago++) {
      const startMs = minute - ago * MINUTE_MS;
      rows.push(bucket(name, "cluster", startMs, { gauges: true, minutes: 0 }));
      for (const worker of workers) rows.push(bucket(name, worker, startMs, { gauges: false, minutes: 0.1 }));
    }
    for (const [level, lengthMs] of Object.entries(ROLLUP_MS)) {
      const spanMs = level === "2h" ? 7 * 24 * HOUR_MS : 26 * HOUR_MS;
      const newest = Math.floor(now / lengthMs) * lengthMs;
      for (let startMs = newest; startMs >= now - spanMs - lengthMs; startMs -= lengthMs) {
        rows.push(bucket(name, level, startMs, { gauges: true, minutes: lengthMs / MINUTE_MS }));
      }
    }
  }
  for (let first = 0; first < rows.length; first += 2_000) {
    await pool.query(
      `INSERT INTO t_retry_metric (minute, event_type, source, pending, due, running, failed, oldest_due_age_ms,
        enqueued_count, succeeded_count, retried_count, latency_histogram) VALUES ${rows.slice(first, first + 2_000).join(", ")}`,
    );
  }
}
