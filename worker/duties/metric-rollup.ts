import type { Database } from "../../db/client.ts";
import { foldMetrics, startOfBucket } from "../../db/fold-metrics.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import {
  findNewestRollup,
  type MetricBucket,
  readMinutes,
  readRollups,
  ROLLUP_MS,
  storeRollups,
} from "../../db/queries/metric-rollups.ts";
import type { Session } from "../../db/session.ts";

/** As far back as the console draws. */
const ROLLED_BACK_MS = 7 * 86_400_000;
/** Minutes may be written this long after they ended: a worker's statement that waited. */
const SETTLED_MS = 30_000;
/** An hour per run: catching up on a week takes three quarters of an hour and never holds up the sampler. */
export const BUCKETS_PER_RUN = 12;
const DAY_OF_BUCKETS = 86_400_000 / ROLLUP_MS["5m"];

/**
 * Folds the minutes of all workers into buckets of five minutes and these into hours, so that a chart of a week reads a
 * row per type and bucket, however many workers there are. The bucket that is still open is folded anew each time. After
 * a change of the elected worker it goes on from the newest bucket that was stored.
 */
export class MetricRollup {
  readonly #database: Database;
  /** The start of the oldest bucket that may still change. */
  #next: Date | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Folds up to an hour of buckets; returns how many. Call it while holding the sampler's lease. */
  async runOnce(eventTypes: readonly string[]): Promise<number> {
    return this.#database.use(async (session) => {
      const now = await readDatabaseNow(session);
      this.#next ??= await this.#resume(session, now, eventTypes);
      const hours = new Map<number, Set<string>>();
      let folded = 0;
      for (let at = this.#next; at <= now && folded < BUCKETS_PER_RUN; at = after(at), folded++) {
        const buckets = foldMetrics(await readMinutes(session, { from: at, to: after(at) }), ROLLUP_MS["5m"]);
        await this.#store("5m", buckets);
        const hour = startOfBucket(at, ROLLUP_MS["1h"]).getTime();
        const names = hours.get(hour) ?? new Set(eventTypes);
        for (const { eventType } of buckets) names.add(eventType);
        hours.set(hour, names);
        if (after(at).getTime() + SETTLED_MS <= now.getTime()) this.#next = after(at);
      }
      for (const [hour, names] of hours) await this.#foldHour(session, hour, [...names]);
      return folded;
    });
  }

  async #foldHour(session: Session, hour: number, eventTypes: readonly string[]): Promise<void> {
    const starts = Array.from(
      { length: ROLLUP_MS["1h"] / ROLLUP_MS["5m"] },
      (_, n) => new Date(hour + n * ROLLUP_MS["5m"]),
    );
    const buckets = await readRollups(session, { level: "5m", starts, eventTypes });
    await this.#store("1h", foldMetrics(buckets, ROLLUP_MS["1h"]));
  }

  #store(level: "5m" | "1h", buckets: readonly MetricBucket[]): Promise<void> {
    return this.#database.retryingTransaction((session) => storeRollups(session, { level, buckets }));
  }

  /** Where a predecessor stopped: its newest bucket, which may have been open; else the beginning of what is drawn. */
  async #resume(session: Session, now: Date, eventTypes: readonly string[]): Promise<Date> {
    const open = startOfBucket(now, ROLLUP_MS["5m"]).getTime();
    const bucketsMax = ROLLED_BACK_MS / ROLLUP_MS["5m"];
    for (let first = 0; first < bucketsMax; first += DAY_OF_BUCKETS) {
      const starts = Array.from(
        { length: DAY_OF_BUCKETS },
        (_, n) => new Date(open - (first + n) * ROLLUP_MS["5m"]),
      );
      const newest = await findNewestRollup(session, { level: "5m", starts, eventTypes });
      if (newest) return newest;
    }
    return new Date(open - ROLLED_BACK_MS);
  }
}

function after(bucket: Date): Date {
  return new Date(bucket.getTime() + ROLLUP_MS["5m"]);
}
