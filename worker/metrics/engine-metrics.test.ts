import { register } from "prom-client";
import { describe, expect, it } from "vitest";
import { EngineEvents } from "../engine/events.ts";
import type { EngineHealth } from "../engine/index.ts";
import { AttemptClock } from "./attempt-clock.ts";
import { createEngineMetrics } from "./engine-metrics.ts";

function setUp(health: Partial<EngineHealth> = {}) {
  const events = new EngineEvents();
  const registry = createEngineMetrics(
    {
      on: (name, listener) => events.on(name, listener),
      health: () => ({
        state: "running",
        isAlive: true,
        isReadOnly: false,
        sinceBeatMs: 250,
        lastError: undefined,
        pools: { PAY: { concurrency: 4, running: 3, queued: 2, isPaused: false } },
        ...health,
      }),
    },
    ["PAY"],
  );
  return { events, registry };
}

const task = { eventType: "PAY", id: "9007199254740993", claimNo: 1 };

describe("createEngineMetrics", () => {
  it("counts every end of an attempt and shows pools and liveness", async () => {
    const { events, registry } = setUp();
    events.emit("started", { ...task, isEager: true });
    events.emit("succeeded", { ...task, durationMs: 1, isSkipped: true });
    events.emit("rescheduled", { ...task, retryCount: 1, delayMs: 1, error: "e" });
    events.emit("failed", { ...task, reason: "exhausted", error: "e" });
    events.emit("recycled", { eventType: "PAY", count: 5, failedForGood: 2 });
    events.emit("rejected", { eventType: "PAY", count: 3 });
    events.emit("released", { eventType: "PAY", count: 4, reason: "shutdown" });
    events.emit("stale", { ...task, tried: "succeed", foundStatus: "running", lateMs: 1 });
    const text = await registry.metrics();
    for (const line of [
      'redrive_tasks_succeeded_total{event_type="PAY"} 1',
      'redrive_tasks_skipped_total{event_type="PAY"} 1',
      'redrive_tasks_rescheduled_total{event_type="PAY"} 1',
      'redrive_tasks_failed_total{event_type="PAY"} 3',
      'redrive_tasks_recycled_total{event_type="PAY"} 5',
      'redrive_tasks_rejected_total{event_type="PAY"} 3',
      'redrive_tasks_released_total{event_type="PAY"} 4',
      'redrive_tasks_stale_results_total{event_type="PAY"} 1',
      'redrive_attempt_duration_seconds_count{event_type="PAY",outcome="succeeded"} 1',
      'redrive_pool_running{event_type="PAY"} 3',
      'redrive_pool_queued{event_type="PAY"} 2',
      "redrive_liveness_age_seconds 0.25",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).toContain("process_resident_memory_bytes");
    expect(text.endsWith("# EOF\n")).toBe(true);
    expect(registry.contentType).toContain("application/openmetrics-text");
  });

  it("leaves the global registry alone, so that two engines fit into one process", async () => {
    setUp();
    setUp();
    expect(await register.getMetricsAsJSON()).toEqual([]);
  });

  it("gives types without a handler here one label together", async () => {
    const { events, registry } = setUp();
    for (let index = 0; index < 500; index++) {
      events.emit("recycled", { eventType: `FOREIGN_${index}`, count: 1, failedForGood: 0 });
    }
    const text = await registry.metrics();
    expect(text).toContain('redrive_tasks_recycled_total{event_type="(other)"} 500');
    expect(text).not.toContain("FOREIGN_");
  });

  it("shows no liveness age before the first beat", async () => {
    const { registry } = setUp({ sinceBeatMs: undefined });
    expect(await registry.metrics()).not.toMatch(/^redrive_liveness_age_seconds /m);
  });
});

describe("AttemptClock", () => {
  it("measures once per claim and forgets the oldest beyond its limit", () => {
    let nowMs = 1_000;
    const clock = new AttemptClock(() => nowMs, 2);
    clock.start({ ...task, id: "1" });
    clock.start({ ...task, id: "2" });
    clock.start({ ...task, id: "3" });
    nowMs = 2_500;
    expect(clock.end({ ...task, id: "1" })).toBeUndefined();
    expect(clock.end({ ...task, id: "2" })).toBe(1.5);
    expect(clock.end({ ...task, id: "2" })).toBeUndefined();
    expect(clock.end({ ...task, id: "3", claimNo: 2 })).toBeUndefined();
  });
});
