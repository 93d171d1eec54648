import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createTestDatabase } from "../../db/testing/test-database.ts";
import { runExportInThread } from "../export/run-in-thread.ts";

// Measures one export: rows per second, peak memory, longest stop of the event loop. Arguments: rows, payload bytes, and the
// memory in MB that the process may take at its peak; exit code 1 above it (250 by default: reading TypeScript takes
// memory that compiled code does not need).
const rows = Number(process.argv[2] ?? 1_000_000);
const payload = Number(process.argv[3] ?? 300);
const peakMBMax = Number(process.argv[4] ?? 250);
const test = await createTestDatabase();
const folder = mkdtempSync(join(tmpdir(), "redrive-export-"));
try {
  await fill();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const before = process.resourceUsage().maxRSS;
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  const { outcomes } = await runExportInThread(
    { connection: test.connection, zone: test.zone.name, owner: "m", target: folder, s3: undefined, options: {} },
    { signal: new AbortController().signal },
  );
  const seconds = (performance.now() - startMs) / 1_000;
  const bytes = outcomes.reduce((sum, one) => sum + one.bytes, 0);
  const { user } = process.cpuUsage(cpu);
  const peakRssMB = Math.round(process.resourceUsage().maxRSS / 1024);
  if (peakRssMB > peakMBMax) process.exitCode = 1;
  process.stdout.write(
    `${JSON.stringify({ server: test.kind, rows, seconds: Math.round(seconds * 10) / 10, rowsPerSecond: Math.round(rows / seconds), megabytes: Math.round(bytes / 1e6), rssBeforeMB: Math.round(before / 1024), peakRssMB, peakMBMax, cpuSeconds: Math.round(user / 1e6), loopDelayMaxMs: Math.round(delay.max / 1e6), loopDelayP99Ms: Math.round(delay.percentile(99) / 1e6), outcomes })}\n`,
  );
} finally {
  await test.drop();
  rmSync(folder, { recursive: true, force: true });
}

/** Doubles rows inside the server until there are enough. */
async function fill(): Promise<void> {
  const columns =
    "event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy, first_retry_interval, next_retry_time, ip, create_time, update_time, owner, claim_no, recycle_count, last_error, error_fingerprint, finish_reason, started_time, finished_time, trace_parent, parent_id, origin";
  await test.pool.query(
    `INSERT INTO t_retry_task_archive (id, archived_time, ${columns}) VALUES (1970670598291982290, '2026-11-01 03:00:00.000', 'PAY_ORDER', 'order-0', CONCAT('{"orderId":"1970670598291982290","note":"', SHA2(RAND(), 256), REPEAT('abc ', ?), '"}'), 1, 1, 8, 'EXPONENTIAL', 10, '2026-11-01 03:00:00.000', '10.0.0.7', '2026-11-01 03:00:00.000', '2026-11-01 03:00:00.050', 'owner-1', 1, 0, NULL, NULL, 'success', '2026-11-01 03:00:00.001', '2026-11-01 03:00:00.050', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', NULL, 'orders')`,
    [Math.max(0, Math.floor((payload - 120) / 4))],
  );
  for (let have = 1; have < rows; have *= 2) {
    const n = Math.min(have, rows - have);
    await test.pool.query(
      `INSERT INTO t_retry_task_archive (id, archived_time, ${columns}) SELECT id + ${have}, archived_time + INTERVAL (${have % 977} * 1000) MICROSECOND, event_type, CONCAT('order-', id - 1970670598291982290 + ${have}), CONCAT(SUBSTRING(biz_context, 1, 40), SHA2(CONCAT(id, ${have}), 256), SUBSTRING(biz_context, 105)), status, retry_count, max_retry_count, retry_strategy, first_retry_interval, next_retry_time, ip, create_time, update_time, owner, claim_no, recycle_count, IF(id % 10 = 0, 'Error: connect ECONNREFUSED 10.1.2.3:443', NULL), error_fingerprint, finish_reason, started_time, finished_time, trace_parent, parent_id, origin FROM t_retry_task_archive ORDER BY id LIMIT ${n}`,
    );
  }
}
