import type { ConnectionSettings } from "../../db/connection-options.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import type { Clock } from "../engine/clock.ts";
import type { EngineEvents } from "../engine/events.ts";
import type { Logger } from "../engine/index.ts";
import { type ArchivePaceSettings, createArchivePace } from "./archive-pace.ts";
import { openArchiveDatabase } from "./archive-run.ts";
import { Archiver } from "./archiver.ts";
import type { HistoryMeter } from "./history-meter.ts";

/** The archiver of a worker process with connections of its own; undefined if the environment switches it off. */
export function createArchiver(
  env: {
    readonly connection: ConnectionSettings;
    readonly zone: SessionZone;
    readonly archive: ArchivePaceSettings | undefined;
  },
  parts: {
    readonly owner: string;
    readonly clock: Clock;
    readonly events: EngineEvents;
    readonly log: Logger;
    readonly meter?: HistoryMeter;
  },
): { start(): void; stop(): Promise<void> } | undefined {
  if (!env.archive) return undefined;
  const database = openArchiveDatabase(env);
  const onBrakeError = (brake: string, error: unknown) =>
    parts.events.emit("loopError", { loop: `archiver: ${brake} cannot be read and does not brake`, error });
  const { pace, close } = createArchivePace(env.archive, { database, clock: parts.clock, onBrakeError });
  const archiver = new Archiver({ ...parts, database, pace });
  return {
    start: () => archiver.start(),
    stop: async () => {
      await archiver.stop();
      await Promise.all([close(), database.close()]);
    },
  };
}
