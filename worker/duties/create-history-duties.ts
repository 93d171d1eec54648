import { Database } from "../../db/client.ts";
import type { ConnectionSettings } from "../../db/connection-options.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import type { Clock } from "../engine/clock.ts";
import type { EngineEvents } from "../engine/events.ts";
import type { Logger } from "../engine/index.ts";
import type { HistorySettings } from "../env.ts";
import { openTarget } from "../export/open-target.ts";
import { type ArchivePaceSettings, ArchivePace, DUTY_ROWS_PER_SECOND } from "./archive-pace.ts";
import { Exporter } from "./exporter.ts";
import type { HistoryMeter } from "./history-meter.ts";
import { Purger } from "./purger.ts";

/** The first look comes when a process has been up for a while, so that a deploy of many does not begin with it. */
const FIRST_LOOK_MS = 60_000;

/** Exporter and purger of a worker process, as far as its environment asks for them. */
export function createHistoryDuties(
  env: {
    readonly connection: ConnectionSettings;
    readonly zone: SessionZone;
    readonly archive: ArchivePaceSettings | undefined;
    readonly purge: boolean;
    readonly history: HistorySettings;
  },
  parts: {
    readonly owner: string;
    readonly clock: Clock;
    readonly events: EngineEvents;
    readonly log: Logger;
    readonly meter?: HistoryMeter;
  },
): { start(): void; stop(): Promise<void> } {
  const { connection, zone } = env;
  const { exportTarget, s3, purgeRequiresExport } = env.history;
  const exporter =
    exportTarget === undefined ? undefined : new Exporter({ ...parts, connection, zone, target: exportTarget, s3 });
  // Counting a day of millions of rows takes longer than the statements of the engine.
  const database = new Database({
    connection,
    zone,
    connectionLimit: 2,
    statementTimeoutMs: 300_000,
    lockWaitSeconds: 1,
  });
  const purger = env.purge
    ? new Purger({
        ...parts,
        database,
        target: exportTarget === undefined ? undefined : openTarget(exportTarget, s3),
        requiresExport: purgeRequiresExport,
        pace: new ArchivePace({
          rowsPerSecond: env.archive?.rowsPerSecond ?? DUTY_ROWS_PER_SECOND,
          brakes: [],
          clock: parts.clock,
        }),
      })
    : undefined;
  return {
    start: () => {
      exporter?.start(FIRST_LOOK_MS);
      purger?.start(FIRST_LOOK_MS);
    },
    stop: async () => {
      await Promise.all([exporter?.stop(), purger?.stop()]);
      await database.close();
    },
  };
}
