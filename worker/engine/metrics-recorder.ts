import type { Database } from "../../db/client.ts";
import { addMetricCounts, LATENCY_EDGES_MS, METRIC_COUNTERS, type MetricCounter } from "../../db/queries/metrics.ts";
import type { Clock } from "./clock.ts";
import type { EngineEvents } from "./events.ts";
import { Loop } from "./loop.ts";

const FLUSH_MS = 10_000;

interface TypeCounts {
  readonly counts: Record<MetricCounter, number>;
  /** Runs that succeeded, per bucket of `LATENCY_EDGES_MS`. */
  readonly latency: number[];
}

/** Counts what the engine reports and adds the counts to the present minute of each type every few seconds. */
export class MetricsRecorder extends Loop {
  readonly #database: Database;
  readonly #source: string;
  #fresh = new Map<string, TypeCounts>();
  /** The histogram of each type's present minute, as it was last written. */
  readonly #minute = new Map<string, number[]>();

  constructor(database: Database, source: string, clock: Clock, events: EngineEvents) {
    super("metrics", clock, events);
    this.#database = database;
    this.#source = source;
    events.on("enqueued", (event) => {
      this.#add(event.eventType, "enqueued", event.count);
      this.#add(event.eventType, "eager", event.eager);
    });
    events.on("rejected", (event) => this.#add(event.eventType, "rejected", event.count));
    events.on("succeeded", (event) => {
      this.#add(event.eventType, event.isSkipped ? "skipped" : "succeeded", 1);
      const bucket = bucketOf(event.durationMs);
      const { latency } = this.#of(event.eventType);
      latency[bucket] = (latency[bucket] ?? 0) + 1;
    });
    events.on("rescheduled", (event) => this.#add(event.eventType, "retried", 1));
    events.on("failed", (event) => this.#add(event.eventType, "failed", 1));
    events.on("released", (event) => this.#add(event.eventType, "released", event.count));
    events.on("recycled", (event) => this.#add(event.eventType, "recycled", event.count));
    events.on("stale", (event) => this.#add(event.eventType, "stale", 1));
  }

  override async runOnce(): Promise<number> {
    await this.flush();
    return FLUSH_MS;
  }

  /** Writes what has been counted; counts whose statement failed are kept for the next time. */
  async flush(): Promise<void> {
    for (const [eventType, { counts, latency }] of [...this.#fresh]) {
      this.#fresh.delete(eventType);
      const minute = sumOf(this.#minute.get(eventType) ?? [], latency);
      try {
        const isNewMinute = await this.#database.use((session) =>
          addMetricCounts(session, { eventType, source: this.#source, counts, latency: { minute, fresh: latency } }),
        );
        this.#minute.set(eventType, isNewMinute ? latency : minute);
      } catch (error) {
        const later = this.#of(eventType);
        for (const counter of METRIC_COUNTERS) later.counts[counter] += counts[counter];
        later.latency.splice(0, later.latency.length, ...sumOf(later.latency, latency));
        throw error;
      }
    }
  }

  #add(eventType: string, counter: MetricCounter, amount: number): void {
    if (amount !== 0) this.#of(eventType).counts[counter] += amount;
  }

  #of(eventType: string): TypeCounts {
    let found = this.#fresh.get(eventType);
    if (!found) {
      const counts = Object.fromEntries(METRIC_COUNTERS.map((name) => [name, 0])) as TypeCounts["counts"];
      found = { counts, latency: sumOf([], []) };
      this.#fresh.set(eventType, found);
    }
    return found;
  }
}

function bucketOf(ms: number): number {
  const index = LATENCY_EDGES_MS.findIndex((edge) => ms <= edge);
  return index === -1 ? LATENCY_EDGES_MS.length : index;
}

function sumOf(one: readonly number[], other: readonly number[]): number[] {
  return Array.from({ length: LATENCY_EDGES_MS.length + 1 }, (_, index) => (one[index] ?? 0) + (other[index] ?? 0));
}
