import { sql, type SQL } from "drizzle-orm";
import { metric } from "../schema/metric.ts";
import type { Session } from "../session.ts";
import { textLiteral } from "../text-literal.ts";
import { METRIC_COUNTERS, type MetricCounts, type TypeGauges } from "./metrics.ts";

/** The buckets that minutes are folded into, by the source they are stored under, with their length. */
export const ROLLUP_MS = { "5m": 300_000, "15m": 900_000, "2h": 7_200_000 } as const;
export type RollupLevel = keyof typeof ROLLUP_MS;

/** One event type over one bucket of time that begins at `at`: the sum of its counters, the highest of its gauges. */
export interface MetricBucket {
  readonly at: Date;
  readonly eventType: string;
  /** Undefined if nobody sampled in that time. */
  readonly gauges: TypeGauges | undefined;
  readonly counts: MetricCounts;
}

type StoredBucket = Readonly<Record<string, string | number | null>>;

const KEYS_MAX = 20_000;
const LEVELS = Object.keys(ROLLUP_MS)
  .map((level) => `'${level}'`)
  .join(", ");
const GAUGES = ["pending", "due", "running", "failed", "oldest_due_age_ms"] as const;
const COUNTS = METRIC_COUNTERS.map((name) => `${name}_count`);

/** Each minute and type of a span, over all workers: read along the primary key and grouped in its order. */
export async function readMinutes(
  session: Session,
  span: { readonly from: Date; readonly to: Date },
): Promise<MetricBucket[]> {
  const { zone } = session;
  const columns = [
    ...GAUGES.map((name) => `MAX(${name}) AS ${name}`),
    ...COUNTS.map((name) => `SUM(${name}) AS ${name}`),
  ];
  const rows = await session.rows<StoredBucket>(
    sql`SELECT minute, event_type, ${sql.raw(columns.join(", "))} FROM ${metric} FORCE INDEX (PRIMARY)
      WHERE minute >= ${zone.format(span.from)} AND minute < ${zone.format(span.to)} AND source NOT IN (${sql.raw(LEVELS)})
      GROUP BY minute, event_type ORDER BY minute, event_type`,
  );
  return rows.map((row) => bucketOf(session, row));
}

/**
 * The folded buckets of these types that begin at these instants, each looked up by its whole primary key, so that the
 * rows of single workers beside them cost nothing.
 */
export async function readRollups(
  session: Session,
  params: { readonly level: RollupLevel; readonly starts: readonly Date[]; readonly eventTypes: readonly string[] },
): Promise<MetricBucket[]> {
  const { level, starts, eventTypes } = params;
  if (starts.length === 0) return [];
  const typesPerStatement = Math.max(1, Math.floor(KEYS_MAX / starts.length));
  const found: MetricBucket[] = [];
  for (let first = 0; first < eventTypes.length; first += typesPerStatement) {
    const names = eventTypes.slice(first, first + typesPerStatement);
    const rows = await session.rows<StoredBucket>(
      sql`SELECT r.minute, r.event_type, ${sql.raw([...GAUGES, ...COUNTS].map((name) => `r.${name}`).join(", "))}
        FROM ${keyList(session, starts, names)} STRAIGHT_JOIN ${metric} AS r FORCE INDEX (PRIMARY)
        ON r.minute = starts.at AND r.event_type = types.name AND r.source = ${level}`,
    );
    found.push(...rows.map((row) => bucketOf(session, row)));
  }
  return found;
}

/** The latest of these instants at which a folded bucket of any of these types begins; undefined if none does. */
export async function findNewestRollup(
  session: Session,
  params: { readonly level: RollupLevel; readonly starts: readonly Date[]; readonly eventTypes: readonly string[] },
): Promise<Date | undefined> {
  const { level, starts, eventTypes } = params;
  if (starts.length === 0 || eventTypes.length === 0) return undefined;
  const [row] = await session.rows<{ newest: string | null }>(
    sql`SELECT MAX(r.minute) AS newest FROM ${keyList(session, starts, eventTypes)}
      STRAIGHT_JOIN ${metric} AS r FORCE INDEX (PRIMARY)
      ON r.minute = starts.at AND r.event_type = types.name AND r.source = ${level}`,
  );
  return row?.newest ? session.zone.parseInstant(row.newest) : undefined;
}

/**
 * Replaces the folded bucket of each of these types, in the caller's transaction. Removed by key and inserted plainly:
 * workers add their own rows beside these, and an upsert would lock the gaps they go into.
 */
export async function storeRollups(
  session: Session,
  params: { readonly level: RollupLevel; readonly buckets: readonly MetricBucket[] },
): Promise<void> {
  for (let first = 0; first < params.buckets.length; first += 100) {
    const some = params.buckets.slice(first, first + 100);
    const keys = some.map(
      ({ at, eventType }) =>
        sql`SELECT ${instant(session, at)} AS at, ${textLiteral(eventType)} AS name, ${textLiteral(params.level)} AS source`,
    );
    await session.change(
      sql`DELETE r FROM (${sql.join(keys, sql` UNION ALL `)}) AS list STRAIGHT_JOIN ${metric} AS r FORCE INDEX (PRIMARY)
        ON r.minute = list.at AND r.event_type = list.name AND r.source = list.source`,
    );
    const rows = some.map(({ at, eventType, gauges, counts }) => {
      const values = [
        ...(gauges
          ? [gauges.pending, gauges.due, gauges.running, gauges.failed, gauges.oldestDueAgeMs]
          : GAUGES.map(() => "NULL")),
        ...METRIC_COUNTERS.map((name) => Math.trunc(counts[name])),
      ];
      return sql`(${instant(session, at)}, ${textLiteral(eventType)}, ${params.level}, ${sql.raw(values.join(", "))})`;
    });
    await session.change(
      sql`INSERT INTO ${metric} (minute, event_type, source, ${sql.raw([...GAUGES, ...COUNTS].join(", "))})
        VALUES ${sql.join(rows, sql`, `)}`,
    );
  }
}

/** Every pair of an instant and a type, as two tables to be joined in this order. */
function keyList(session: Session, starts: readonly Date[], eventTypes: readonly string[]): SQL {
  const instants = starts.map((at) => sql`SELECT ${instant(session, at)} AS at`);
  const names = eventTypes.map((name) => sql`SELECT ${textLiteral(name)} AS name`);
  return sql`(${sql.join(instants, sql` UNION ALL `)}) AS starts STRAIGHT_JOIN (${sql.join(names, sql` UNION ALL `)}) AS types`;
}

/** As an instant, not as text, so that the look-up compares like with like and goes through the key. */
function instant(session: Session, at: Date): SQL {
  return sql.raw(`TIMESTAMP'${session.zone.format(at)}'`);
}

function bucketOf(session: Session, row: StoredBucket): MetricBucket {
  const number = (name: string) => Number(row[name] ?? 0);
  const isSampled = row["pending"] !== null;
  return {
    at: session.zone.parseInstant(String(row["minute"])),
    eventType: String(row["event_type"]),
    gauges: isSampled
      ? {
          pending: number("pending"),
          // Minutes sampled before `due` was: all pending tasks, the upper limit.
          due: row["due"] === null ? number("pending") : number("due"),
          running: number("running"),
          failed: number("failed"),
          oldestDueAgeMs: number("oldest_due_age_ms"),
        }
      : undefined,
    counts: Object.fromEntries(METRIC_COUNTERS.map((name) => [name, number(`${name}_count`)])) as MetricCounts,
  };
}
