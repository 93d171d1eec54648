import type { Database } from "../../db/client.ts";
import { foldMetrics, startOfBucket } from "../../db/fold-metrics.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import {
  findNewestRollup,
  type MetricBucket,
  readMinutes,
  readRollups,
  ROLLUP_MS,
  type RollupLevel,
  storeRollups,
} from "../../db/queries/metric-rollups.ts";
import type { Session } from "../../db/session.ts";

/** As far back as the console draws. */
export const ROLLED_BACK_MS = 7 * 86_400_000;
/** Minutes may be written this long after they ended: a worker's statement that waited. */
const SETTLED_MS = 30_000;
/** An hour per run: catching up on a week takes three quarters of an hour and never holds up the sampler. */
export const BUCKETS_PER_RUN = 12;
const DAY_OF_BUCKETS = 86_400_000 / ROLLUP_MS["5m"];

/**
 * Folds the minutes of all workers into buckets of five minutes, these into quarters of an hour and these into two hours, so that a chart of a week reads a
 * row per type and bucket, however many workers there are. The bucket that is still open is folded anew each time. After
 * a change of the elected worker it goes on from the newest bucket that was stored.
 */
export class MetricRollup {
  readonly #database: Database;
  readonly #rolledBackMs: number;
  /** The start of the oldest bucket that may still change. */
  #next: Date | undefined;

  constructor(database: Database, options: { readonly rolledBackMs?: number } = {}) {
    this.#database = database;
    this.#rolledBackMs = options.rolledBackMs ?? ROLLED_BACK_MS;
  }

  /** Folds up to an hour of buckets; returns how many. Call it while holding the sampler's lease. */
  async runOnce(eventTypes: readonly string[]): Promise<number> {
    return this.#database.use(async (session) => {
      const now = await readDatabaseNow(session);
      this.#next ??= await this.#resume(session, now, eventTypes);
      const touched = new Set<number>();
      const names = new Set(eventTypes);
      let folded = 0;
      for (let at = this.#next; at <= now && folded < BUCKETS_PER_RUN; at = after(at), folded++) {
        const buckets = foldMetrics(await readMinutes(session, { from: at, to: after(at) }), ROLLUP_MS["5m"]);
        await this.#store("5m", buckets);
        for (const { eventType } of buckets) names.add(eventType);
        touched.add(at.getTime());
        if (after(at).getTime() + SETTLED_MS <= now.getTime()) this.#next = after(at);
      }
      await this.#foldAgain(session, { from: "5m", into: "15m", touched, eventTypes: [...names] });
      await this.#foldAgain(session, { from: "15m", into: "2h", touched, eventTypes: [...names] });
      return folded;
    });
  }

  /** Folds the stored buckets of one level anew into those longer ones that hold an instant of `touched`. */
  async #foldAgain(
    session: Session,
    params: {
      readonly from: RollupLevel;
      readonly into: RollupLevel;
      readonly touched: ReadonlySet<number>;
      readonly eventTypes: readonly string[];
    },
  ): Promise<void> {
    const { from, into, touched, eventTypes } = params;
    for (const start of new Set([...touched].map((at) => startOfBucket(new Date(at), ROLLUP_MS[into]).getTime()))) {
      const length = ROLLUP_MS[into] / ROLLUP_MS[from];
      const starts = Array.from({ length }, (_, n) => new Date(start + n * ROLLUP_MS[from]));
      const buckets = await readRollups(session, { level: from, starts, eventTypes });
      await this.#store(into, foldMetrics(buckets, ROLLUP_MS[into]));
    }
  }

  #store(level: RollupLevel, buckets: readonly MetricBucket[]): Promise<void> {
    return this.#database.retryingTransaction((session) => storeRollups(session, { level, buckets }));
  }

  /** Where a predecessor stopped: its newest bucket, which may have been open; else the beginning of what is drawn. */
  async #resume(session: Session, now: Date, eventTypes: readonly string[]): Promise<Date> {
    const open = startOfBucket(now, ROLLUP_MS["5m"]).getTime();
    const bucketsMax = this.#rolledBackMs / ROLLUP_MS["5m"];
    for (let first = 0; first < bucketsMax; first += DAY_OF_BUCKETS) {
      const starts = Array.from({ length: DAY_OF_BUCKETS }, (_, n) => new Date(open - (first + n) * ROLLUP_MS["5m"]));
      const newest = await findNewestRollup(session, { level: "5m", starts, eventTypes });
      if (newest) return newest;
    }
    return new Date(open - this.#rolledBackMs);
  }
}

function after(bucket: Date): Date {
  return new Date(bucket.getTime() + ROLLUP_MS["5m"]);
}
