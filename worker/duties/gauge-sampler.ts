import type { Database } from "../../db/client.ts";
import { listEventTypes, listTaskEventTypes } from "../../db/queries/event-types.ts";
import { holdLease, releaseLease } from "../../db/queries/leases.ts";
import { readTypeGauges, removeOldMetrics, storeTypeGauges } from "../../db/queries/metrics.ts";
import type { Clock } from "../engine/clock.ts";
import type { EngineEvents } from "../engine/events.ts";
import { Loop } from "../engine/loop.ts";
import { MetricRollup } from "./metric-rollup.ts";

const LEASE = "gauges";
const LEASE_MS = 30_000;
const SAMPLE_MS = 15_000;
/** Per-minute metrics are kept for 14 days. */
const METRICS_KEPT_MS = 14 * 86_400_000;
/** Batches of 500 rows: more than the rows of a minute of a large fleet. */
const REMOVALS_PER_RUN = 10;

/**
 * Samples how many tasks of each type are pending, due, running and failed, and how old the oldest due one is, and folds
 * the counters of all workers into longer buckets. One process does it for all, elected by a lease row; another takes over within half a minute of its death.
 */
export class GaugeSampler extends Loop {
  readonly #database: Database;
  readonly #owner: string;
  readonly #rollup: MetricRollup;

  constructor(database: Database, owner: string, clock: Clock, events: EngineEvents) {
    super("gauge sampler", clock, events);
    this.#database = database;
    this.#rollup = new MetricRollup(database);
    this.#owner = owner;
  }

  override async runOnce(): Promise<number> {
    const eventTypes = await this.#database.use(async (session) => {
      if (!(await holdLease(session, { name: LEASE, owner: this.#owner, leaseMs: LEASE_MS }))) return undefined;
      const registered = (await listEventTypes(session)).map((row) => row.eventType);
      const names = [...new Set([...registered, ...(await listTaskEventTypes(session))])];
      for (const eventType of names) {
        if (this.isStopping) return undefined;
        await storeTypeGauges(session, eventType, await readTypeGauges(session, eventType));
      }
      for (let batch = 0; batch < REMOVALS_PER_RUN; batch++) {
        if ((await removeOldMetrics(session, METRICS_KEPT_MS)) < 500) break;
      }
      return names;
    });
    if (eventTypes && !this.isStopping) await this.#rollup.runOnce(eventTypes);
    return SAMPLE_MS;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#database
      .use((session) => releaseLease(session, { name: LEASE, owner: this.#owner }))
      .catch(() => undefined);
  }
}
