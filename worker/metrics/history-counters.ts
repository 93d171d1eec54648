import { Counter } from "prom-client";
import type { HistoryMeter } from "../duties/history-meter.ts";
import { type MetricsRegistry, OTHER_TYPE } from "./engine-metrics.ts";

/**
 * Counts what this process has archived, exported and purged. One worker at a time has each duty: sum over all of them.
 * Every counter is there from the start with 0, so that a rate sees the first one.
 */
export function createHistoryCounters(registry: MetricsRegistry, eventTypes: readonly string[]): HistoryMeter {
  const known = new Set(eventTypes);
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `redrive_history_${name}_total`, help, labelNames, registers: [registry] });
  const archived = counter("tasks_archived", "Tasks moved to the archive by this process.", ["event_type"]);
  for (const eventType of [...eventTypes, OTHER_TYPE]) archived.inc({ event_type: eventType }, 0);
  const exported = counter("tasks_exported", "Tasks in days that this process has written to the export and verified.");
  const purged = counter(
    "rows_purged",
    "Rows of tasks and their histories that this process removed from the archive.",
  );
  const failed = counter("days_failed", "Days of the archive that this process could not export or purge.", ["duty"]);
  for (const duty of ["export", "purge"]) failed.inc({ duty }, 0);
  return {
    archived: (eventType, tasks) => archived.inc({ event_type: known.has(eventType) ? eventType : OTHER_TYPE }, tasks),
    exportEnded: ({ what, source, rows }) => {
      if (what === "failed") failed.inc({ duty: "export" });
      else if (what === "exported" && source === "tasks") exported.inc(rows);
    },
    purgeEnded: ({ what, rows }) => {
      if (what === "failed") failed.inc({ duty: "purge" });
      // A day that failed may have lost rows before.
      purged.inc(rows);
    },
  };
}
