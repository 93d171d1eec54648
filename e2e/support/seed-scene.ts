import type { Store } from "./fixtures.ts";
import { bucketStart, insertMetrics, type SeededBucket } from "./seed-metrics.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FOLDED = { "5m": 5 * MINUTE_MS, "15m": 15 * MINUTE_MS, "2h": 2 * HOUR_MS } as const;

interface SceneType {
  readonly name: string;
  readonly perMinute: number;
  readonly live: {
    readonly due: number;
    readonly scheduled: number;
    readonly running: number;
    readonly failed: number;
  };
  readonly oldestDueMs: number;
  /** How strongly the incident of the last two hours hits it, 0 to 1. */
  readonly hit: number;
}

export const SCENE_TYPES: readonly SceneType[] = [
  {
    name: "PAY_ORDER",
    perMinute: 62,
    live: { due: 40, scheduled: 60, running: 9, failed: 37 },
    oldestDueMs: 8 * MINUTE_MS,
    hit: 1,
  },
  {
    name: "CREDIT_GRANT",
    perMinute: 18,
    live: { due: 14, scheduled: 20, running: 4, failed: 2 },
    oldestDueMs: 31_000,
    hit: 0.4,
  },
  {
    name: "SEND_SMS",
    perMinute: 140,
    live: { due: 6, scheduled: 4, running: 6, failed: 0 },
    oldestDueMs: 2_000,
    hit: 0,
  },
  {
    name: "SYNC_ERP",
    perMinute: 5,
    live: { due: 12, scheduled: 0, running: 0, failed: 0 },
    oldestDueMs: 40 * MINUTE_MS,
    hit: 0,
  },
  {
    name: "ISSUE_INVOICE",
    perMinute: 22,
    live: { due: 3, scheduled: 8, running: 2, failed: 1 },
    oldestDueMs: 900,
    hit: 0.1,
  },
  {
    name: "NOTIFY_WAREHOUSE",
    perMinute: 31,
    live: { due: 0, scheduled: 5, running: 1, failed: 0 },
    oldestDueMs: 0,
    hit: 0,
  },
];

const CAUSES = [
  [
    "9f1c20d7a4b35e68",
    "HttpError: 500 Internal Server Error from credit-core\n    at post (file:///srv/orders/http.js:41:13)",
  ],
  [
    "41d0aa93be17c502",
    "TimeoutError: no answer within 30000 ms\n    at AbortSignal.abort (node:internal/abort_controller:12:9)",
  ],
  ["c83e6b1f2d904a77", "PayloadError: amount is not a number"],
] as const;

/**
 * A fleet on a bad afternoon: six event types, an incident that began two hours ago and is being worked off, failed tasks
 * with their histories and causes, four workers of which one is lost, a week of metrics, finished tasks in the archive and
 * what operators did. The same scene each time but for the present instant.
 */
export async function seedScene(store: Store): Promise<void> {
  const now = Date.now();
  for (const { name } of SCENE_TYPES) await store.registerType(name);
  await store.run(
    "UPDATE t_retry_event_type SET paused = 1, paused_reason = 'ERP upgrade' WHERE event_type = 'SYNC_ERP'",
  );
  await insertWorkers(store, now);
  await insertTasks(store, now);
  await insertMetrics(store, sceneMetrics(now));
  await insertArchive(store, now);
  await insertActions(store, now);
}

async function insertWorkers(store: Store, now: number): Promise<void> {
  const types = JSON.stringify(SCENE_TYPES.map(({ name }) => name));
  const pools = JSON.stringify(
    Object.fromEntries(
      SCENE_TYPES.map(({ name, live }) => [name, { concurrency: 16, running: live.running, queued: 0 }]),
    ),
  );
  await store.run(
    "UPDATE t_retry_worker SET host = 'orders-1', ip = '10.20.0.11', event_types = ?, pools = ? WHERE owner = 'w-1'",
    [types, pools],
  );
  for (const [n, beatAgoMs] of [1_000, 2_000, 9 * MINUTE_MS].entries()) {
    await store.run(
      `INSERT INTO t_retry_worker (owner, host, ip, pid, version, state, dead_after_ms, event_types, pools, started_time, beat_time)
        VALUES (?, ?, ?, 4711, '0.1.0', 'running', ?, ?, ?, ?, ?)`,
      [
        ...[
          `orders-${n + 2}-9c41f0`,
          `orders-${n + 2}`,
          `10.20.0.${12 + n}`,
          beatAgoMs > MINUTE_MS ? "15000" : "86400000",
        ],
        ...[types, pools, store.stored(new Date(now - 26 * HOUR_MS)), store.stored(new Date(now - beatAgoMs))],
      ],
    );
  }
}

async function insertTasks(store: Store, now: number): Promise<void> {
  const tasks: string[] = [];
  const attempts: string[] = [];
  let id = 1_970_670_598_291_000_000n;
  const at = (agoMs: number) => `'${store.stored(new Date(now - agoMs))}'`;
  const add = (eventType: string, n: number, state: { status: number; dueAgoMs: number; retries: number }) => {
    id += 17n;
    const { status, dueAgoMs, retries } = state;
    const isEnded = status === 1 || status === 2;
    const [fingerprint, text] = CAUSES[eventType === "PAY_ORDER" && n % 9 !== 8 ? 0 : (n % 2) + 1] ?? CAUSES[0];
    const error = retries > 0 ? `'${text}', '${fingerprint}'` : "NULL, NULL";
    const owner = status === 3 ? "'w-1'" : "NULL";
    const context = `{"orderId":"20260924-${String(1_000 + n)}","amount":${n * 17}.90,"customer":{"id":${77_000 + n},"tier":"gold"}}`;
    tasks.push(
      `(${id}, '${eventType}', 'order-20260924-${eventType.length}${String(1_000 + n)}', '${context}', ${status}, ${retries}, 8, 'EXPONENTIAL', 10, ${at(dueAgoMs)}, ${at(dueAgoMs + 40 * MINUTE_MS)}, ${at(Math.max(0, dueAgoMs))}, ${owner}, ${retries + 1}, 0, ${error}, ${isEnded ? at(dueAgoMs) : "NULL"}, ${status === 3 ? at(12_000) : "NULL"}, ${status === 2 ? "'exhausted'" : "NULL"})`,
    );
    for (let attempt = 1; attempt <= retries; attempt++) {
      const kind = status === 2 && attempt === retries ? "failed" : "retried";
      const agoMs = Math.max(1_000, dueAgoMs) + (retries - attempt) * 4 * MINUTE_MS;
      attempts.push(
        `(${id}, '${eventType}', '${kind}', ${attempt}, ${attempt}, 'w-1', '${text}', '${fingerprint}', ${120 + attempt * 31}, ${at(agoMs)})`,
      );
    }
    if (n % 12 === 3 && eventType === "PAY_ORDER") {
      attempts.push(
        `(${id}, '${eventType}', 'recycled', ${retries}, 2, 'orders-4-9c41f0', NULL, NULL, NULL, ${at(9 * MINUTE_MS)})`,
      );
    }
  };
  for (const { name, live, oldestDueMs } of SCENE_TYPES) {
    for (let n = 0; n < live.due; n++)
      add(name, n, { status: 0, dueAgoMs: oldestDueMs / (n + 1), retries: n % 3 === 0 ? 2 : 0 });
    for (let n = 0; n < live.scheduled; n++) {
      add(name, 100 + n, { status: 0, dueAgoMs: -(n + 1) * 40_000, retries: (n % 5) + 1 });
    }
    for (let n = 0; n < live.running; n++)
      add(name, 200 + n, { status: 3, dueAgoMs: 15_000 + n * 900, retries: n % 2 });
    for (let n = 0; n < live.failed; n++)
      add(name, 300 + n, { status: 2, dueAgoMs: (20 + n * 2) * MINUTE_MS, retries: 8 });
    for (let n = 0; n < 12; n++) add(name, 400 + n, { status: 1, dueAgoMs: (n + 1) * 3 * MINUTE_MS, retries: 0 });
  }
  await store.run(
    `INSERT INTO t_retry_task (id, event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
      first_retry_interval, next_retry_time, create_time, update_time, owner, claim_no, recycle_count, last_error,
      error_fingerprint, finished_time, started_time, finish_reason) VALUES ${tasks.join(", ")}`,
  );
  await store.run(
    `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, owner, error, error_fingerprint, duration_ms,
      create_time) VALUES ${attempts.join(", ")}`,
  );
}

/** How strong the incident was so many minutes ago, 0 to 1; a smaller one lay nine hours back. */
function incident(minutesAgo: number): number {
  const hump = (middle: number, width: number) => Math.exp(-(((minutesAgo - middle) / width) ** 2));
  return Math.min(1, hump(70, 34) + 0.35 * hump(540, 25));
}

function sceneMetrics(now: number): SeededBucket[] {
  const buckets: SeededBucket[] = [];
  const bucketOf = (type: SceneType, at: Date, lengthMs: number) => {
    const minutesAgo = (now - at.getTime()) / MINUTE_MS;
    const strength = incident(minutesAgo) * type.hit;
    const day = 1 + 0.35 * Math.sin((minutesAgo / 1_440) * 2 * Math.PI + type.name.length);
    // No two buckets alike, and yet the same each time.
    const wobble = 0.9 + ((Math.floor(minutesAgo) * 7_919 + type.perMinute * 31) % 100) / 500;
    const minutes = Math.min(lengthMs, now - at.getTime()) / MINUTE_MS;
    const runs = type.perMinute * day * wobble * minutes;
    return {
      gauges: {
        pending: Math.round((type.live.due + type.live.scheduled) * wobble + strength * 900),
        due: minutesAgo < 2 ? type.live.due : Math.round(type.live.due * wobble + strength * 640),
        running: Math.round(type.live.running * wobble),
        failed: Math.round(type.live.failed * Math.max(0, 1 - Math.max(0, minutesAgo - 25) / 90)),
        oldestDueAgeMs:
          minutesAgo < 2 ? type.oldestDueMs : Math.round(type.oldestDueMs * wobble + strength * 14 * MINUTE_MS),
      },
      counts: {
        enqueued: Math.round(runs),
        succeeded: Math.round(runs * (1 - 0.55 * strength)),
        retried: Math.round(runs * (0.02 + 0.5 * strength)),
        failures: Math.round(runs * 0.06 * strength * strength),
        recycled: type.name === "PAY_ORDER" && minutesAgo > 7 && minutesAgo < 12 ? 2 : 0,
        rejected: strength > 0.8 ? Math.round(runs * 0.03) : 0,
      },
    };
  };
  for (const type of SCENE_TYPES) {
    for (let minute = 0; minute <= 70; minute++) {
      const at = bucketStart(now - minute * MINUTE_MS);
      const { gauges, counts } = bucketOf(type, at, MINUTE_MS);
      buckets.push({ eventType: type.name, at, source: "cluster", ...gauges });
      buckets.push({ eventType: type.name, at, source: "w-1", ...counts });
    }
    for (const [source, lengthMs] of Object.entries(FOLDED)) {
      const spanMs = source === "2h" ? 7 * 24 * HOUR_MS : 26 * HOUR_MS;
      for (let ago = 0; ago <= spanMs + lengthMs; ago += lengthMs) {
        const at = bucketStart(now - ago, lengthMs);
        const { gauges, counts } = bucketOf(type, at, lengthMs);
        buckets.push({ eventType: type.name, at, source, ...gauges, ...counts });
      }
    }
  }
  return buckets;
}

async function insertArchive(store: Store, now: number): Promise<void> {
  const rows = SCENE_TYPES.flatMap(({ name }, type) =>
    Array.from({ length: 15 }, (_, n) => {
      const at = `'${store.stored(new Date(now - (n + 1) * 7 * HOUR_MS))}'`;
      const isFailed = (n + type) % 7 === 0;
      const [fingerprint, text] = CAUSES[n % 3] ?? CAUSES[0];
      const end = isFailed ? `2, 'exhausted', '${text}', '${fingerprint}'` : "1, 'success', NULL, NULL";
      const id = 1_970_670_598_000_000_000n + BigInt(type * 100 + n);
      return `(${id}, '${name}', 'order-20260917-${type}${1_000 + n}', '{"orderId":"20260917-${n}"}', ${end}, ${isFailed ? 8 : n % 2}, 8, 'EXPONENTIAL', 10, ${at}, ${at}, ${at}, ${at}, ${at}, 1, 0)`;
    }),
  );
  await store.run(
    `INSERT INTO t_retry_task_archive (id, event_type, biz_key, biz_context, status, finish_reason, last_error, error_fingerprint,
      retry_count, max_retry_count, retry_strategy, first_retry_interval, next_retry_time, create_time, update_time,
      finished_time, archived_time, claim_no, recycle_count) VALUES ${rows.join(", ")}`,
  );
}

async function insertActions(store: Store, now: number): Promise<void> {
  const actions = [
    ["session.sign_in", "session", "", "", 130, ""],
    ["type.pause", "event_type", "SYNC_ERP", "SYNC_ERP", 118, "ERP upgrade"],
    ["task.reset", "task", "1970670598291002414", "PAY_ORDER", 62, "one to try"],
    ["bulk.create", "bulk", "12", "PAY_ORDER", 41, "credit-core is back"],
    ["task.cancel", "task", "1970670598291002703", "PAY_ORDER", 12, "paid by hand"],
  ] as const;
  const rows = actions.map(([action, kind, object, eventType, minutesAgo, reason]) => {
    const text = (value: string) => (value === "" ? "NULL" : `'${value}'`);
    const at = store.stored(new Date(now - minutesAgo * MINUTE_MS));
    return `('${at}', 'ops.lin', 'person', 'operator', '${action}', '${kind}', ${text(object)}, ${text(eventType)}, 'ok', ${text(reason)})`;
  });
  await store.run(
    `INSERT INTO t_retry_audit (create_time, actor, actor_kind, role, action, object_kind, object_id, event_type, result, reason)
      VALUES ${rows.join(", ")}`,
  );
}
