import { Database } from "../../db/client.ts";
import type { ConnectionSettings } from "../../db/connection-options.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import type { Clock } from "../engine/clock.ts";
import type { EngineEvents } from "../engine/events.ts";
import type { Logger } from "../engine/index.ts";
import { BULK_RUNNING_MAX, BulkRunner } from "./bulk-runner.ts";

/** The runner of bulk actions of a worker process with connections of its own; undefined if the environment switches it off. */
export function createBulkRunner(
  env: { readonly connection: ConnectionSettings; readonly zone: SessionZone; readonly bulk: boolean },
  parts: { readonly owner: string; readonly clock: Clock; readonly events: EngineEvents; readonly log: Logger },
): { start(): void; stop(): Promise<void> } | undefined {
  if (!env.bulk) return undefined;
  const { connection, zone } = env;
  const database = new Database({ connection, zone, connectionLimit: BULK_RUNNING_MAX + 1, lockWaitSeconds: 1 });
  const runner = new BulkRunner({ ...parts, database });
  return {
    start: () => runner.start(),
    stop: async () => {
      await runner.stop();
      await database.close();
    },
  };
}
