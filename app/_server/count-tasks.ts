import "server-only";
import { countTasksByType, PAGE_COUNT_MAX } from "../../db/queries/count-tasks.ts";
import { listWorkers } from "../../db/queries/workers.ts";
import type { Asker } from "./asker.ts";
import { consoleDatabase } from "./database.ts";

const WORKERS_MAX = 1_000;

export interface TypeOverview {
  readonly eventType: string;
  readonly paused: boolean;
  readonly pending: number;
  readonly running: number;
  readonly failed: number;
  /** Taken back from dead workers in the last 24 hours. */
  readonly recycled24h: number;
  /** How long the longest-waiting due task has been due; 0 if none is due. */
  readonly oldestDueAgeMs: number;
}

export interface Overview {
  readonly asOf: string;
  readonly database: string;
  /** Counts of one type end here: a number that reaches it means "at least". */
  readonly countMax: number;
  readonly eventTypes: readonly TypeOverview[];
  readonly workers: { readonly alive: number; readonly registered: number };
}

/** The state of the asker's event types and how many workers are alive, read in bounded work. */
export async function countTasks(asker: Asker): Promise<Overview> {
  const database = consoleDatabase();
  return database.use(async (session) => {
    const counts = await countTasksByType(session);
    const workers = (await listWorkers(session, WORKERS_MAX)).filter(({ state }) => state !== "stopped");
    return {
      asOf: new Date().toISOString(),
      database: database.connection.database ?? "",
      countMax: PAGE_COUNT_MAX,
      eventTypes: counts.filter(({ eventType }) => asker.sees(eventType)).map(({ capped: _, ...type }) => type),
      workers: { alive: workers.filter(({ isAlive }) => isAlive).length, registered: workers.length },
    };
  });
}
