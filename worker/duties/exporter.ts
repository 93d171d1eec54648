import type { ConnectionSettings } from "../../db/connection-options.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import type { Clock } from "../engine/clock.ts";
import type { EngineEvents } from "../engine/events.ts";
import type { Logger } from "../engine/index.ts";
import { Loop } from "../engine/loop.ts";
import { runExportInThread } from "../export/run-in-thread.ts";
import type { S3Settings } from "../export/s3-client.ts";
import type { HistoryMeter } from "./history-meter.ts";

/** A day is over once in 24 hours; a look in between costs a few questions. */
const LOOK_MS = 3_600_000;
/** Another process has the duty, or purges. */
const ELSEWHERE_MS = 300_000;

export interface ExporterParts {
  readonly connection: ConnectionSettings;
  readonly zone: SessionZone;
  readonly target: string;
  readonly s3: S3Settings | undefined;
  readonly owner: string;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly log: Logger;
  readonly meter?: HistoryMeter;
  /** How long after its end a day counts as over; for tests. */
  readonly settleMs?: number;
}

/**
 * Exports each day of the archive when it is over. One process does it for all, elected by a lease row that purging needs
 * too; the work runs in a thread, so that handlers of this process do not feel it.
 */
export class Exporter extends Loop {
  readonly #parts: ExporterParts;

  constructor(parts: ExporterParts) {
    super("exporter", parts.clock, parts.events);
    this.#parts = parts;
  }

  override async runOnce(): Promise<number> {
    const { connection, zone, target, s3, owner, settleMs, log } = this.#parts;
    const options = settleMs === undefined ? {} : { settleMs };
    const { stopped } = await runExportInThread(
      { connection, zone: zone.name, owner: `${owner}/export`, target, s3, options },
      {
        signal: this.stopSignal,
        onOutcome: (outcome) => {
          this.#parts.meter?.exportEnded(outcome);
          if (outcome.what === "failed") log.error({ ...outcome }, "a day of the archive could not be exported");
          else if (outcome.what !== "skipped") log.info({ ...outcome }, `a day of the archive was ${outcome.what}`);
        },
      },
    );
    return stopped?.code === "RUN_ELSEWHERE" ? ELSEWHERE_MS : LOOK_MS;
  }
}
