import "server-only";
import { startOfBucket } from "../../../db/fold-metrics.ts";
import { listKnownEventTypes } from "../../../db/queries/event-types.ts";
import { readRollups, ROLLUP_MS } from "../../../db/queries/metric-rollups.ts";
import type { Asker } from "../asker.ts";
import { consoleDatabase } from "../database.ts";
import { sharedReads } from "../shared-reads.ts";
import { ageless, readRange } from "./read-metrics.ts";
import { recycledIn, type Snapshot, snapshotOf, type Spark, sparksOf, type TypeTrend, typeTrends } from "./trends.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STEP_MS = ROLLUP_MS["5m"];

/** How the numbers of the tiles came to be what they are. */
export interface DashboardTrends {
  /** The database's clock. */
  readonly asOf: string;
  /** One value per minute of the last hour, oldest first; the last minute is not over. */
  readonly sparks: Readonly<Record<Spark, readonly (number | null)[]>>;
  /** The state an hour ago and a day ago; `recycled` is the number of the hour that ended then. */
  readonly hourAgo: Snapshot;
  readonly dayAgo: Snapshot;
  readonly types: readonly TypeTrend[];
}

/** The last hour, an hour ago and a day ago, of the types that the asker sees. */
export async function readTrends(asker: Asker): Promise<DashboardTrends> {
  const hour = await readRange("1h");
  const { asOf, starts, paused } = hour;
  const earlier = await sharedReads().read("earlier metrics", () => readEarlier(asOf));
  const minutes = hour.buckets.filter(({ eventType }) => asker.sees(eventType));
  const past = earlier
    .filter(({ eventType }) => asker.sees(eventType))
    .map((bucket) => (paused.has(bucket.eventType) ? ageless(bucket) : bucket));
  const within = (from: number, to: number) =>
    past.filter(({ at }) => at.getTime() > from - STEP_MS && at.getTime() <= to - STEP_MS);
  const hourAgoMs = asOf.getTime() - HOUR_MS;
  const dayAgoMs = asOf.getTime() - DAY_MS;
  const dayAgo = startOfBucket(new Date(dayAgoMs), STEP_MS).getTime();
  const firstMinutes = starts.slice(0, 3).map((at) => minutes.filter((one) => one.at.getTime() === at.getTime()));
  return {
    asOf: asOf.toISOString(),
    sparks: sparksOf(starts.slice(1), minutes),
    hourAgo: {
      ...snapshotOf(firstMinutes.find((buckets) => buckets.some(({ gauges }) => gauges)) ?? []),
      recycled: recycledIn(within(hourAgoMs - HOUR_MS, hourAgoMs)),
    },
    dayAgo: {
      ...snapshotOf(past.filter(({ at }) => at.getTime() === dayAgo)),
      recycled: recycledIn(within(dayAgoMs - HOUR_MS, dayAgoMs)),
    },
    types: typeTrends(asOf, minutes),
  };
}

/** The folded buckets of the hours that ended an hour ago and a day ago. */
function readEarlier(asOf: Date) {
  const starts = [HOUR_MS, DAY_MS].flatMap((agoMs) => {
    const last = startOfBucket(new Date(asOf.getTime() - agoMs), STEP_MS).getTime();
    return Array.from({ length: HOUR_MS / STEP_MS + 1 }, (_, n) => new Date(last - n * STEP_MS));
  });
  return consoleDatabase().use(async (session) =>
    readRollups(session, { level: "5m", starts, eventTypes: await listKnownEventTypes(session) }),
  );
}
