import type { Database } from "../../db/client.ts";
import { listEventTypes, listTaskEventTypes } from "../../db/queries/event-types.ts";
import { holdLease, releaseLease } from "../../db/queries/leases.ts";
import { readTypeGauges, removeOldMetrics, storeTypeGauges } from "../../db/queries/metrics.ts";
import type { Clock } from "../engine/clock.ts";
import type { EngineEvents } from "../engine/events.ts";
import { Loop } from "../engine/loop.ts";

const LEASE = "gauges";
const LEASE_MS = 30_000;
const SAMPLE_MS = 15_000;
/** Per-minute metrics are kept for 14 days. */
const METRICS_KEPT_MS = 14 * 86_400_000;

/**
 * Samples how many tasks of each type are pending, running and failed, and how old the oldest due one is. One process
 * does it for all, elected by a lease row; another takes over within half a minute of its death.
 */
export class GaugeSampler extends Loop {
  readonly #database: Database;
  readonly #owner: string;

  constructor(database: Database, owner: string, clock: Clock, events: EngineEvents) {
    super("gauge sampler", clock, events);
    this.#database = database;
    this.#owner = owner;
  }

  override async runOnce(): Promise<number> {
    await this.#database.use(async (session) => {
      if (!(await holdLease(session, { name: LEASE, owner: this.#owner, leaseMs: LEASE_MS }))) return;
      const registered = (await listEventTypes(session)).map((row) => row.eventType);
      for (const eventType of new Set([...registered, ...(await listTaskEventTypes(session))])) {
        if (this.isStopping) return;
        await storeTypeGauges(session, eventType, await readTypeGauges(session, eventType));
      }
      await removeOldMetrics(session, METRICS_KEPT_MS);
    });
    return SAMPLE_MS;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#database
      .use((session) => releaseLease(session, { name: LEASE, owner: this.#owner }))
      .catch(() => undefined);
  }
}
