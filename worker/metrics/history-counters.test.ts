import { expect, it } from "vitest";
import { Registry, type OpenMetricsContentType } from "prom-client";
import { createHistoryCounters } from "./history-counters.ts";

function setUp() {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  return { registry, meter: createHistoryCounters(registry, ["PAY"]) };
}

const day = { day: "2026-11-01", files: 1, bytes: 1 } as const;

it("counts what was archived by type, and tasks of types without a handler under one label", async () => {
  const { registry, meter } = setUp();
  meter.archived("PAY", 200);
  meter.archived("PAY", 3);
  meter.archived("FOREIGN", 7);
  const lines = (await registry.metrics()).split("\n");
  expect(lines).toContain('redrive_history_tasks_archived_total{event_type="PAY"} 203');
  expect(lines).toContain('redrive_history_tasks_archived_total{event_type="(other)"} 7');
});

it("counts exported tasks but not their entries, nor days that were there already, and failed days apart", async () => {
  const { registry, meter } = setUp();
  meter.exportEnded({ ...day, source: "tasks", what: "exported", rows: 40 });
  meter.exportEnded({ ...day, source: "attempts", what: "exported", rows: 9 });
  meter.exportEnded({ ...day, source: "tasks", what: "verified", rows: 40 });
  meter.exportEnded({ ...day, source: "tasks", what: "failed", rows: 0, problem: "no space" });
  meter.purgeEnded({ day: day.day, what: "dropped", rows: 49 });
  meter.purgeEnded({ day: day.day, what: "kept", rows: 0 });
  meter.purgeEnded({ day: day.day, what: "failed", rows: 5, reason: "lost" });
  const lines = (await registry.metrics()).split("\n");
  expect(lines).toContain("redrive_history_tasks_exported_total 40");
  expect(lines).toContain("redrive_history_rows_purged_total 54");
  expect(lines).toContain('redrive_history_days_failed_total{duty="export"} 1');
  expect(lines).toContain('redrive_history_days_failed_total{duty="purge"} 1');
});

it("shows every counter from the start", async () => {
  const { registry } = setUp();
  const lines = (await registry.metrics()).split("\n");
  for (const line of [
    'redrive_history_tasks_archived_total{event_type="PAY"} 0',
    "redrive_history_tasks_exported_total 0",
    "redrive_history_rows_purged_total 0",
    'redrive_history_days_failed_total{duty="purge"} 0',
  ]) {
    expect(lines).toContain(line);
  }
});
