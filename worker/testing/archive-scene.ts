import { ArchivePace } from "../duties/archive-pace.ts";
import { type ArchiveReport, type ArchiveRunParts, runArchive } from "../duties/archive-run.ts";
import { systemClock } from "../engine/clock.ts";
import { setOverrideSettings, registerEventType } from "../../db/queries/event-types.ts";
import type { EventTypeOverrides } from "../../db/event-type-settings.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";

/** One run without a limit of its pace, to its end. */
export async function archiveAll(test: TestDatabase, parts: Partial<ArchiveRunParts> = {}): Promise<ArchiveReport> {
  return runArchive({
    database: test.database,
    clock: systemClock,
    pace: new ArchivePace({ rowsPerSecond: 0, brakes: [], clock: systemClock }),
    signal: new AbortController().signal,
    ...parts,
  });
}

/** Registers a type with settings that people changed. */
export async function setType(test: TestDatabase, eventType: string, settings: EventTypeOverrides): Promise<void> {
  await test.database.use(async (session) => {
    await registerEventType(session, eventType, "{}");
    await setOverrideSettings(session, { eventType, overrideSettings: JSON.stringify(settings) });
  });
}

export interface EndedTasks {
  readonly eventType: string;
  readonly count: number;
  /** Ended so long ago, in seconds. Default nine days. */
  readonly endedSecondsAgo?: number;
  /** 1 succeeded (default), 2 failed, 4 cancelled, or any other number. */
  readonly status?: number;
  /** Entries in the history of every third task. Default 2. */
  readonly attempts?: number;
  readonly prefix?: string;
}

/** Inserts ended tasks in a few statements, every column filled with something that can be compared. */
export async function insertEnded(test: TestDatabase, tasks: EndedTasks): Promise<void> {
  const { eventType, count, status = 1, endedSecondsAgo = 9 * 86_400, attempts = 2, prefix = "k" } = tasks;
  const now = "TIMESTAMPADD(MINUTE, ?, UTC_TIMESTAMP(3))";
  const offset = test.zone.offsetMinutes;
  for (let start = 0; start < count; start += 2_000) {
    const rows = Array.from({ length: Math.min(2_000, count - start) }, (_, index) => {
      const n = start + index;
      const at = (secondsMore: number) => `TIMESTAMPADD(SECOND, -${endedSecondsAgo + secondsMore}, @now)`;
      return (
        `('${eventType}', '${prefix}-${n}', '{"n":${n},"text":"é 😀"}', ${status}, ${n % 4}, 5, 'EXPONENTIAL', 10, ${at(60 + (n % 50))}, '10.0.0.${n % 250}', ` +
        `${at(600)}, ${at(1)}, 'owner-${n % 3}', ${1 + (n % 7)}, ${n % 2}, 'error ${n}', 'f${n % 5}', 'success', ${at(30)}, ${at(0)}, 'trace-${n}', ${n + 1}, 'scene')`
      );
    });
    const connection = await test.pool.getConnection();
    try {
      await connection.query(`SET @now = ${now}`, [offset]);
      await connection.query(
        `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy, first_retry_interval,
          next_retry_time, ip, create_time, update_time, owner, claim_no, recycle_count, last_error, error_fingerprint, finish_reason,
          started_time, finished_time, trace_parent, parent_id, origin) VALUES ${rows.join(",")}`,
      );
    } finally {
      connection.release();
    }
  }
  for (let n = 0; n < attempts; n++) {
    await test.pool.query(
      `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, owner, actor, detail, error, error_fingerprint, duration_ms, next_retry_time, create_time)
        SELECT id, event_type, 'retried', ${n}, claim_no, owner, 'ada', 'detail', 'error', error_fingerprint, 7, next_retry_time, update_time
        FROM t_retry_task WHERE event_type = ? AND status = ? AND biz_key LIKE ? AND id % 3 = 0`,
      [eventType, status, `${prefix}-%`],
    );
  }
}

/** A row of live table or archive without the archive's own column, as text. */
export type StoredRow = Readonly<Record<string, string | null>>;

export interface Place {
  readonly live: ReadonlyMap<string, StoredRow>;
  /** By id, each as often as the archive holds it. */
  readonly archived: ReadonlyMap<string, readonly StoredRow[]>;
}

/** Where every row of the tasks, or of their history, is at this moment: both tables in one snapshot. */
export async function placesOf(test: TestDatabase, part: "task" | "attempt", eventType: string): Promise<Place> {
  const connection = await test.pool.getConnection();
  try {
    await connection.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    await connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    const read = async (table: string) => {
      const [rows] = await connection.query({
        sql: `SELECT * FROM ${table} WHERE event_type = ?`,
        values: [eventType],
        dateStrings: true,
        supportBigNumbers: true,
        bigNumberStrings: true,
      });
      return (rows as Record<string, unknown>[]).map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)])),
      );
    };
    const live = new Map((await read(`t_retry_${part}`)).map((row) => [String(row["id"]), row]));
    const archived = new Map<string, StoredRow[]>();
    for (const { archived_time: _, ...row } of await read(`t_retry_${part}_archive`)) {
      archived.set(String(row["id"]), [...(archived.get(String(row["id"])) ?? []), row]);
    }
    await connection.query("COMMIT");
    return { live, archived };
  } finally {
    connection.release();
  }
}

/** Everything that is wrong if these rows were created and only moved since: lost, twice, in both places, changed. */
export function faultsOf(created: ReadonlyMap<string, StoredRow>, now: Place): string[] {
  const faults: string[] = [];
  for (const [id, before] of created) {
    const live = now.live.get(id);
    const archived = now.archived.get(id) ?? [];
    const copies = [...(live ? [live] : []), ...archived];
    if (copies.length !== 1) faults.push(`${id}: ${live ? "live" : "not live"}, archived ${archived.length} times`);
    for (const copy of copies) {
      const changed = Object.keys(before).filter((name) => copy[name] !== before[name]);
      if (changed.length > 0) faults.push(`${id}: changed in ${changed.join(", ")}`);
    }
  }
  const known = now.live.size + now.archived.size;
  if (known > created.size) faults.push(`${known - created.size} rows that nobody created`);
  return faults;
}
