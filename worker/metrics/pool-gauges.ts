import { Gauge } from "prom-client";
import type { Engine } from "../engine/index.ts";
import type { MetricsRegistry } from "./engine-metrics.ts";

/** Gauges that are read from the engine's health at each scrape. */
export function registerPoolGauges(
  engine: Pick<Engine, "health">,
  registry: MetricsRegistry,
  label: (eventType: string) => { event_type: string },
): void {
  const perPool = (name: string, help: string, read: (pool: PoolHealth) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["event_type"],
      registers: [registry],
      collect() {
        this.reset();
        for (const [eventType, pool] of Object.entries(engine.health().pools)) this.set(label(eventType), read(pool));
      },
    });
  perPool(
    "redrive_pool_concurrency",
    "Handlers of the type that may run at once in this process.",
    (pool) => pool.concurrency,
  );
  perPool("redrive_pool_running", "Handlers of the type that run in this process.", (pool) => pool.running);
  perPool("redrive_pool_queued", "Claimed tasks that wait for a slot in this process.", (pool) => pool.queued);
  perPool("redrive_pool_paused", "1 if the type is paused.", (pool) => (pool.isPaused ? 1 : 0));
  new Gauge({
    name: "redrive_liveness_age_seconds",
    help: "Time since the database last confirmed that this process is alive; absent before the first time.",
    registers: [registry],
    collect() {
      const { sinceBeatMs } = engine.health();
      this.remove();
      if (sinceBeatMs !== undefined) this.set(sinceBeatMs / 1_000);
    },
  });
}

type PoolHealth = ReturnType<Engine["health"]>["pools"][string];
