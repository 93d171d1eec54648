import { sql } from "drizzle-orm";
import { attempt } from "../schema/attempt.ts";
import type { Session } from "../session.ts";
import { listEventTypes, listTaskEventTypes } from "./event-types.ts";
import { laterBy } from "./insert-tasks.ts";
import { readTypeGauges, type TypeGauges } from "./metrics.ts";

export interface TypeCounts extends TypeGauges {
  readonly eventType: string;
  readonly paused: boolean;
  /** Tasks taken back from dead owners in the last 24 hours. */
  readonly recycled24h: number;
  /** True if a count stopped at its limit: there are at least so many. */
  readonly capped: boolean;
}

/** Counting of one status of one type stops here on pages and in `status`. */
export const PAGE_COUNT_MAX = 10_000;

/** The state of every type that is registered or has live tasks; bounded work per type, whatever the table's size. */
export async function countTasksByType(session: Session): Promise<TypeCounts[]> {
  const recycled = await countRecycledByType(session);
  const counts = await countLiveTasksByType(session);
  return counts.map((one) => ({ ...one, recycled24h: recycled.get(one.eventType)?.day ?? 0 }));
}

/** The same without the look into the history. */
export async function countLiveTasksByType(session: Session): Promise<Omit<TypeCounts, "recycled24h">[]> {
  const registered = new Map((await listEventTypes(session)).map((row) => [row.eventType, row]));
  const names = new Set([...registered.keys(), ...(await listTaskEventTypes(session))]);
  const counts: Omit<TypeCounts, "recycled24h">[] = [];
  for (const name of [...names].sort()) {
    const gauges = await readTypeGauges(session, name, PAGE_COUNT_MAX);
    counts.push({
      ...gauges,
      eventType: name,
      paused: registered.get(name)?.paused ?? false,
      capped: Math.max(gauges.pending, gauges.running, gauges.failed) >= PAGE_COUNT_MAX,
    });
  }
  return counts;
}

/** Tasks of one type that were taken back from dead owners. */
export interface RecycledCounts {
  readonly hour: number;
  readonly day: number;
}

/** How many tasks of each type were taken back in the last hour and in the last 24, of the newest 100,000 such entries. */
export async function countRecycledByType(session: Session): Promise<Map<string, RecycledCounts>> {
  const rows = await session.rows<{ event_type: string; n: string | number; n_hour: string | number }>(
    sql`SELECT event_type, COUNT(*) AS n, SUM(create_time >= ${laterBy(session, -3_600_000)}) AS n_hour
      FROM (SELECT event_type, create_time FROM ${attempt} FORCE INDEX (idx_kind_time)
      WHERE kind = 'recycled' AND create_time >= ${laterBy(session, -86_400_000)} ORDER BY create_time DESC, id DESC LIMIT 100000) AS recent
      GROUP BY event_type`,
  );
  return new Map(rows.map((row) => [row.event_type, { hour: Number(row.n_hour), day: Number(row.n) }]));
}
