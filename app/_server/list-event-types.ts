import "server-only";
import { listEventTypes as readEventTypes } from "../../db/queries/event-types.ts";
import type { Asker } from "./asker.ts";
import { consoleDatabase } from "./database.ts";

export interface EventTypeName {
  readonly eventType: string;
  readonly paused: boolean;
}

/** The registered event types that the asker may see, by name; from their own table, never from the tasks. */
export async function listEventTypes(asker: Asker): Promise<{ readonly eventTypes: readonly EventTypeName[] }> {
  const rows = await consoleDatabase().use(readEventTypes);
  return {
    eventTypes: rows
      .filter(({ eventType }) => asker.sees(eventType))
      .map(({ eventType, paused }) => ({ eventType, paused })),
  };
}
