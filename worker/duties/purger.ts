import type { Database } from "../../db/client.ts";
import type { Clock } from "../engine/clock.ts";
import type { EngineEvents } from "../engine/events.ts";
import type { Logger } from "../engine/index.ts";
import { Loop } from "../engine/loop.ts";
import { type PurgePace, runPurge } from "../export/purge-run.ts";
import { RunLease } from "../export/run-lease.ts";
import type { ExportTarget } from "../export/target.ts";
import type { HistoryMeter } from "./history-meter.ts";

/** Retention is counted from the end of a day, so one pass an hour purges a day within the hour. */
const LOOK_MS = 3_600_000;
/** Another process has the duty, or exports. */
const ELSEWHERE_MS = 300_000;

export interface PurgerParts {
  readonly database: Database;
  readonly target: ExportTarget | undefined;
  readonly requiresExport: boolean;
  readonly pace: PurgePace;
  readonly owner: string;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly log: Logger;
  readonly meter?: HistoryMeter;
  /** How long after its end a day counts as over; for tests. */
  readonly settleMs?: number;
}

/**
 * Removes archived tasks that are past their retention. One process does it for all, elected by a lease row that exporting
 * needs too, so that no day is read and removed at once.
 */
export class Purger extends Loop {
  readonly #parts: PurgerParts;

  constructor(parts: PurgerParts) {
    super("purger", parts.clock, parts.events);
    this.#parts = parts;
  }

  override async runOnce(): Promise<number> {
    const { database, clock, owner, log } = this.#parts;
    const lease = new RunLease({ database, owner: `${owner}/purge`, clock, signal: this.stopSignal });
    try {
      const { outcomes, stopped } = await runPurge({ ...this.#parts, lease, signal: this.stopSignal });
      for (const outcome of outcomes) {
        this.#parts.meter?.purgeEnded(outcome);
        if (outcome.what === "failed") log.error({ ...outcome }, "a day of the archive could not be purged");
        else if (outcome.what !== "kept") log.info({ ...outcome }, "archived tasks were purged");
      }
      return stopped?.code === "RUN_ELSEWHERE" ? ELSEWHERE_MS : LOOK_MS;
    } finally {
      await lease.release();
    }
  }
}
