import type { DayOutcome } from "../export/export-run.ts";
import type { PurgeOutcome } from "../export/purge-run.ts";

/** Told of what the duties of this process have done to the history, each after it was committed. */
export interface HistoryMeter {
  archived(eventType: string, tasks: number): void;
  exportEnded(outcome: DayOutcome): void;
  purgeEnded(outcome: PurgeOutcome): void;
}
