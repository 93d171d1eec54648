import "server-only";
import { countLiveTasksByType, countRecycledByType, PAGE_COUNT_MAX } from "../../db/queries/count-tasks.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { listWorkers } from "../../db/queries/workers.ts";
import type { Asker } from "./asker.ts";
import { settled } from "./dashboard/settled.ts";
import { consoleDatabase } from "./database.ts";
import { sharedReads } from "./shared-reads.ts";

const WORKERS_MAX = 1_000;

export interface TypeOverview {
  readonly eventType: string;
  readonly paused: boolean;
  readonly pending: number;
  /** Of the pending: those that could run now. */
  readonly due: number;
  readonly running: number;
  readonly failed: number;
  /** Taken back from dead workers in the last hour and in the last 24; null if the history could not be read. */
  readonly recycled1h: number | null;
  readonly recycled24h: number | null;
  /** How long the longest-waiting due task has been due; 0 if none is due. */
  readonly oldestDueAgeMs: number;
}

export interface Overview {
  /** The database's clock. */
  readonly asOf: string;
  readonly database: string;
  /** Counts of one type end here: a number that reaches it means "at least". */
  readonly countMax: number;
  readonly eventTypes: readonly TypeOverview[];
  /** Those that take a type which the asker sees. Null if the registry could not be read. */
  readonly workers: { readonly alive: number; readonly registered: number } | null;
}

/** The state of the event types that the asker sees and how many workers are alive, read in bounded work once for all. */
export async function countTasks(asker: Asker): Promise<Overview> {
  const overview = await sharedReads().read("overview", readOverview);
  const { workers } = overview;
  return {
    ...overview,
    eventTypes: overview.eventTypes.filter(({ eventType }) => asker.sees(eventType)),
    workers: workers && countWorkers(asker, workers),
  };
}

/** Who is confined to event types counts the workers that take at least one of them. */
function countWorkers(asker: Asker, workers: readonly ListedWorker[]): Overview["workers"] {
  const seen = workers.filter(
    ({ eventTypes }) => asker.scopes === undefined || eventTypes.some((eventType) => asker.sees(eventType)),
  );
  return { alive: seen.filter(({ isAlive }) => isAlive).length, registered: seen.length };
}

interface ListedWorker {
  readonly isAlive: boolean;
  readonly eventTypes: readonly string[];
}

async function readOverview(): Promise<
  Omit<Overview, "workers"> & { readonly workers: readonly ListedWorker[] | null }
> {
  const database = consoleDatabase();
  return database.use(async (session) => {
    const asOf = await readDatabaseNow(session);
    const counts = await countLiveTasksByType(session);
    const recycled = await settled("recycled tasks", () => countRecycledByType(session));
    const workers = await settled("workers", () => listWorkers(session, WORKERS_MAX));
    const expected = workers?.filter(({ state }) => state !== "stopped");
    return {
      asOf: asOf.toISOString(),
      database: database.connection.database ?? "",
      countMax: PAGE_COUNT_MAX,
      eventTypes: counts.map(({ capped: _, ...type }) => ({
        ...type,
        recycled1h: recycled && (recycled.get(type.eventType)?.hour ?? 0),
        recycled24h: recycled && (recycled.get(type.eventType)?.day ?? 0),
      })),
      workers: expected?.map(({ isAlive, eventTypes }) => ({ isAlive, eventTypes })) ?? null,
    };
  });
}
