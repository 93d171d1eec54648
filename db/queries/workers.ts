import { sql, type SQL } from "drizzle-orm";
import { worker, type WorkerState } from "../schema/worker.ts";
import type { Session } from "../session.ts";
import type { SessionZone } from "../session-zone.ts";
import { laterBy } from "./insert-tasks.ts";

export interface NewWorker {
  readonly owner: string;
  readonly host: string;
  readonly ip: string;
  readonly pid: number;
  readonly version: string;
  readonly deadAfterMs: number;
  readonly eventTypes: readonly string[];
}

/** Enters one run of one engine into the registry, alive from now. Entering it again, after a lost answer, is harmless. */
export async function registerWorker(session: Session, entry: NewWorker): Promise<void> {
  const { now } = session;
  const renewed = await session.change(beatStatement(session.zone, entry.owner));
  if (renewed.affectedRows > 0) return;
  await session.change(
    sql`INSERT INTO ${worker} (owner, host, ip, pid, version, state, dead_after_ms, event_types, pools, started_time, beat_time)
      VALUES (${entry.owner}, ${entry.host.slice(0, 255)}, ${entry.ip}, ${entry.pid}, ${entry.version}, 'running', ${entry.deadAfterMs},
        ${JSON.stringify(entry.eventTypes)}, '{}', ${now}, ${now})`,
  );
}

/**
 * The statement that renews a worker's liveness; composed here, sent by the liveness thread. No row changed means the
 * worker is no longer registered as alive.
 */
export function beatStatement(zone: SessionZone, owner: string): SQL {
  return sql`UPDATE ${worker} SET beat_time = ${zone.now} WHERE owner = ${owner} AND state <> 'stopped'`;
}

/** What the process tells of itself every few seconds: state and, per type, slots in use. */
export async function reportWorker(
  session: Session,
  params: { readonly owner: string; readonly state: WorkerState; readonly pools: unknown },
): Promise<number> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${worker} SET state = ${params.state}, pools = ${JSON.stringify(params.pools)} WHERE owner = ${params.owner} AND state <> 'stopped'`,
  );
  return affectedRows;
}

/** Ends a run in order: whatever it still owns may be taken back at once. */
export async function stopWorker(session: Session, owner: string): Promise<void> {
  await session.change(
    sql`UPDATE ${worker} SET state = 'stopped', stopped_time = ${session.now}, pools = '{}' WHERE owner = ${owner}`,
  );
}

export interface WorkerRow {
  readonly owner: string;
  readonly host: string;
  readonly ip: string | undefined;
  readonly pid: number;
  readonly version: string;
  readonly state: WorkerState;
  readonly eventTypes: readonly string[];
  readonly pools: Readonly<Record<string, PoolReport>>;
  readonly startedAt: Date;
  readonly beatAt: Date;
  readonly isAlive: boolean;
}

/** One type's use of a worker, as `reportWorker` stores it. */
export interface PoolReport {
  readonly concurrency: number;
  readonly running: number;
  readonly queued: number;
}

/** The registry, newest first, at most `limit` rows. Alive: beating in time and not stopped, by the database's clock. */
export async function listWorkers(session: Session, limit = 200): Promise<WorkerRow[]> {
  const rows = await session.rows<{
    owner: string;
    host: string;
    ip: string | null;
    pid: number;
    version: string;
    state: WorkerState;
    event_types: string;
    pools: string;
    started_time: string;
    beat_time: string;
    alive: number;
  }>(
    sql`SELECT owner, host, ip, pid, version, state, event_types, pools, started_time, beat_time, ${isAlive(session)} AS alive
      FROM ${worker} ORDER BY started_time DESC, owner LIMIT ${sql.raw(String(Math.trunc(limit)))}`,
  );
  return rows.map((row) => ({
    owner: row.owner,
    host: row.host,
    ip: row.ip ?? undefined,
    pid: row.pid,
    version: row.version,
    state: row.state,
    eventTypes: JSON.parse(row.event_types) as string[],
    pools: JSON.parse(row.pools) as Record<string, PoolReport>,
    startedAt: session.zone.parseInstant(row.started_time),
    beatAt: session.zone.parseInstant(row.beat_time),
    isAlive: Number(row.alive) === 1,
  }));
}

function isAlive(session: Session): SQL {
  return sql`(state <> 'stopped' AND beat_time >= TIMESTAMPADD(MICROSECOND, dead_after_ms * -1000, ${session.now}))`;
}

/** Every owner in the registry that is dead or has stopped: whether a recycle scan is worth its statements. */
export async function listDeadOwners(session: Session): Promise<string[]> {
  const rows = await session.rows<{ owner: string }>(
    sql`SELECT owner FROM ${worker} WHERE NOT ${isAlive(session)} ORDER BY owner`,
  );
  return rows.map((row) => row.owner);
}

/**
 * Removes owners that have been gone for `goneMs`, one by one by primary key, so that the registry stays small. Their
 * running rows, had they any, are then judged by the rule for unknown owners.
 */
export async function removeGoneWorkers(session: Session, goneMs: number): Promise<number> {
  const rows = await session.rows<{ owner: string }>(
    sql`SELECT owner FROM ${worker} WHERE beat_time < ${laterBy(session, -goneMs)} ORDER BY owner LIMIT 200`,
  );
  for (const { owner } of rows) {
    await session.change(
      sql`DELETE FROM ${worker} WHERE owner = ${owner} AND beat_time < ${laterBy(session, -goneMs)}`,
    );
  }
  return rows.length;
}
