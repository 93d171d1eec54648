import "server-only";
import { readDatabaseNow } from "../../../db/queries/database-now.ts";
import { listKnownEventTypes } from "../../../db/queries/event-types.ts";
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
      return { asOf, starts, buckets: await readBuckets(session, { range, asOf, starts }) };
    }),
  );
}

async function readBuckets(
  session: Session,
  { range, asOf, starts }: { readonly range: Range; readonly asOf: Date; readonly starts: readonly Date[] },
): Promise<MetricBucket[]> {
  const { level } = RANGES[range];
  if (level === undefined) return readMinutes(session, { from: starts[0] ?? asOf, to: new Date(asOf.getTime() + 1) });
  return readRollups(session, { level, starts, eventTypes: await listKnownEventTypes(session) });
}
