import type { Database } from "../../db/client.ts";
import { addMetricCounts, METRIC_COUNTERS, type MetricCounter, type MetricCounts } from "../../db/queries/metrics.ts";
import type { Clock } from "./clock.ts";
import type { EngineEvents } from "./events.ts";
import { Loop } from "./loop.ts";

const FLUSH_MS = 10_000;

type Counts = Record<MetricCounter, number>;

/** Counts what the engine reports and adds the counts to the present minute of each type every few seconds. */
export class MetricsRecorder extends Loop {
  readonly #database: Database;
  readonly #source: string;
  #counts = new Map<string, Counts>();

  constructor(database: Database, source: string, clock: Clock, events: EngineEvents) {
    super("metrics", clock, events);
    this.#database = database;
    this.#source = source;
    events.on("enqueued", (event) => {
      this.#add(event.eventType, "enqueued", event.count);
      this.#add(event.eventType, "eager", event.eager);
    });
    events.on("rejected", (event) => this.#add(event.eventType, "rejected", event.count));
    events.on("succeeded", (event) => this.#add(event.eventType, event.isSkipped ? "skipped" : "succeeded", 1));
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
    const counted = this.#counts;
    this.#counts = new Map();
    for (const [eventType, counts] of counted) {
      try {
        await this.#database.use((session) =>
          addMetricCounts(session, { eventType, source: this.#source, counts: counts as MetricCounts }),
        );
        counted.delete(eventType);
      } catch (error) {
        for (const [name, rest] of counted)
          for (const counter of METRIC_COUNTERS) this.#add(name, counter, rest[counter]);
        throw error;
      }
    }
  }

  #add(eventType: string, counter: MetricCounter, amount: number): void {
    if (amount === 0) return;
    let counts = this.#counts.get(eventType);
    if (!counts) {
      counts = Object.fromEntries(METRIC_COUNTERS.map((name) => [name, 0])) as Counts;
      this.#counts.set(eventType, counts);
    }
    counts[counter] += amount;
  }
}
