import "server-only";
import { readDatabaseNow } from "../../../db/queries/database-now.ts";
import { listEventTypes, listTaskEventTypes } from "../../../db/queries/event-types.ts";
import { type MetricBucket, readMinutes, readRollups } from "../../../db/queries/metric-rollups.ts";
import type { Session } from "../../../db/session.ts";
import { consoleDatabase } from "../database.ts";
import { sharedReads } from "../shared-reads.ts";
import { bucketStarts, RANGES, type Range } from "./ranges.ts";

/** The metrics of all event types over one range, one bucket per type and start that has any. */
export interface RangeMetrics {
  /** The database's clock. */
  readonly asOf: Date;
  readonly starts: readonly Date[];
  readonly buckets: readonly MetricBucket[];
  /** Types that are paused now; the tasks of these have no age here, for they wait on purpose. */
  readonly paused: ReadonlySet<string>;
}

/**
 * The metrics of a range, read once for all who ask within five seconds, whatever types they may see. An hour is grouped
 * from the minutes of all workers; longer ranges look the folded buckets up by key.
 */
export function readRange(range: Range): Promise<RangeMetrics> {
  return sharedReads().read(`metrics ${range}`, () =>
    consoleDatabase().use(async (session) => {
      const asOf = await readDatabaseNow(session);
      const starts = bucketStarts(range, asOf);
      const registered = await listEventTypes(session);
      const names = [...registered.map(({ eventType }) => eventType), ...(await listTaskEventTypes(session))];
      const buckets = await readBuckets(session, { range, asOf, starts, eventTypes: [...new Set(names)] });
      const paused = new Set(registered.filter((row) => row.paused).map(({ eventType }) => eventType));
      return {
        asOf,
        starts,
        paused,
        buckets: buckets.map((bucket) => (paused.has(bucket.eventType) ? ageless(bucket) : bucket)),
      };
    }),
  );
}

async function readBuckets(
  session: Session,
  params: {
    readonly range: Range;
    readonly asOf: Date;
    readonly starts: readonly Date[];
    readonly eventTypes: readonly string[];
  },
): Promise<MetricBucket[]> {
  const { starts, asOf, eventTypes } = params;
  const { level } = RANGES[params.range];
  if (level === undefined) return readMinutes(session, { from: starts[0] ?? asOf, to: new Date(asOf.getTime() + 1) });
  return readRollups(session, { level, starts, eventTypes });
}

/** The tasks of a paused type wait on purpose, so that their age is no delay. */
export function ageless(bucket: MetricBucket): MetricBucket {
  return { ...bucket, gauges: bucket.gauges && { ...bucket.gauges, oldestDueAgeMs: 0 } };
}
