import { Gauge } from "prom-client";
import type { TypeGauges } from "../../db/queries/metrics.ts";
import type { MetricsRegistry } from "./engine-metrics.ts";

/** One scrape asks several gauges; they share what was read so shortly before. */
const SHARED_MS = 1_000;
/** Types beyond this get no gauge of their own, so that foreign rows cannot add labels without end. */
const TYPES_MAX = 200;

/**
 * The state of every type in the whole table, as the elected sampler stored it within the last minutes: the same numbers
 * in each worker. While the database cannot be read the gauges are absent; the scrape goes on.
 */
export function registerFleetGauges(
  registry: MetricsRegistry,
  read: () => Promise<ReadonlyMap<string, TypeGauges>>,
): void {
  let last: { readonly atMs: number; readonly gauges: Promise<ReadonlyMap<string, TypeGauges>> } | undefined;
  const newest = (): Promise<ReadonlyMap<string, TypeGauges>> => {
    if (!last || performance.now() - last.atMs > SHARED_MS) {
      last = { atMs: performance.now(), gauges: read().catch(() => new Map<string, TypeGauges>()) };
    }
    return last.gauges;
  };
  const perType = (name: string, help: string, valueOf: (gauges: TypeGauges) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["event_type"],
      registers: [registry],
      async collect() {
        const gauges = await newest();
        this.reset();
        for (const [eventType, one] of [...gauges].slice(0, TYPES_MAX))
          this.set({ event_type: eventType }, valueOf(one));
      },
    });
  perType("redrive_table_tasks_pending", "Pending tasks in the table.", (gauges) => gauges.pending);
  perType("redrive_table_tasks_running", "Running tasks in the table.", (gauges) => gauges.running);
  perType("redrive_table_tasks_failed", "Tasks that failed for good and wait for a person.", (gauges) => gauges.failed);
  perType(
    "redrive_table_oldest_due_age_seconds",
    "Age of the oldest due task; 0 if none is due.",
    (gauges) => gauges.oldestDueAgeMs / 1_000,
  );
}
