import { collectDefaultMetrics, Counter, Histogram, type OpenMetricsContentType, Registry } from "prom-client";
import type { Engine } from "../engine/index.ts";
import { AttemptClock } from "./attempt-clock.ts";
import { registerPoolGauges } from "./pool-gauges.ts";

export type MetricsRegistry = Registry<OpenMetricsContentType>;

/** Label of everything whose type this worker has no handler for, so that foreign rows cannot add labels without end. */
export const OTHER_TYPE = "(other)";

const COUNTERS = {
  enqueued: "Tasks created by this process.",
  started: "Handler calls begun.",
  succeeded: "Tasks that succeeded, skipped ones included.",
  skipped: "Tasks that succeeded without a run, because their work was done already.",
  rescheduled: "Counted failures with attempts left.",
  failed: "Tasks failed for good, waiting for a person.",
  snoozed: "Runs put off by their handler.",
  cancelled: "Tasks ended by their handler.",
  recycled: "Tasks taken back from dead owners by this process.",
  rejected: "Eager tasks that found no free slot in this process.",
  released: "Claims given back unrun.",
  stale_results: "Results refused because the claim was no longer held.",
} as const;

type CounterName = keyof typeof COUNTERS;

const DURATION_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

/**
 * Metrics of one engine in a registry of their own, in OpenMetrics format, fed by its events. Labels are the given event
 * types only; each is there from the start with 0, so that a rate sees the first event.
 */
export function createEngineMetrics(
  engine: Pick<Engine, "on" | "health">,
  eventTypes: readonly string[],
): MetricsRegistry {
  const registry: MetricsRegistry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const known = new Set(eventTypes);
  const label = (eventType: string) => ({ event_type: known.has(eventType) ? eventType : OTHER_TYPE });
  const counters = new Map<CounterName, Counter>();
  for (const [name, help] of Object.entries(COUNTERS) as [CounterName, string][]) {
    const counter = new Counter({
      name: `redrive_tasks_${name}_total`,
      help,
      labelNames: ["event_type"],
      registers: [registry],
    });
    for (const eventType of eventTypes) counter.inc(label(eventType), 0);
    counters.set(name, counter);
  }
  const add = (name: CounterName, eventType: string, count = 1) => counters.get(name)?.inc(label(eventType), count);
  engine.on("enqueued", (event) => add("enqueued", event.eventType, event.count));
  engine.on("rejected", (event) => add("rejected", event.eventType, event.count));
  engine.on("released", (event) => add("released", event.eventType, event.count));
  engine.on("recycled", (event) => {
    add("recycled", event.eventType, event.count);
    add("failed", event.eventType, event.failedForGood);
  });
  const clock = new AttemptClock();
  const durations = new Histogram({
    name: "redrive_attempt_duration_seconds",
    help: "Time from the start of an attempt to its recorded end.",
    labelNames: ["event_type", "outcome"],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  engine.on("started", (event) => {
    clock.start(event);
    add("started", event.eventType);
  });
  for (const outcome of ["succeeded", "rescheduled", "failed", "snoozed", "cancelled"] as const) {
    engine.on(outcome, (event) => {
      add(outcome, event.eventType);
      const seconds = clock.end(event);
      if (seconds !== undefined) durations.observe({ ...label(event.eventType), outcome }, seconds);
    });
  }
  engine.on("succeeded", (event) => {
    if (event.isSkipped) add("skipped", event.eventType);
  });
  engine.on("stale", (event) => {
    clock.end(event);
    add("stale_results", event.eventType);
  });
  registerLoopCounters(engine, registry);
  registerPoolGauges(engine, registry, label);
  collectDefaultMetrics({ register: registry });
  return registry;
}

function registerLoopCounters(engine: Pick<Engine, "on">, registry: MetricsRegistry): void {
  const loopErrors = new Counter({
    name: "redrive_loop_errors_total",
    help: "Passes of a loop that failed; the loop goes on.",
    labelNames: ["loop"],
    registers: [registry],
  });
  const outages = new Counter({
    name: "redrive_outages_total",
    help: "Times the database became unavailable to this process.",
    registers: [registry],
  });
  engine.on("loopError", (event) => loopErrors.inc({ loop: event.loop }));
  engine.on("outage", () => outages.inc());
}
