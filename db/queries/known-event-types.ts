import type { Session } from "../session.ts";
import { listEventTypes, listTaskEventTypes } from "./event-types.ts";

/** The names of all types that are registered or have live tasks, in byte order; bounded work per type. */
export async function knownEventTypes(session: Session): Promise<string[]> {
  const registered = (await listEventTypes(session)).map((row) => row.eventType);
  return [...new Set([...registered, ...(await listTaskEventTypes(session))])].sort();
}
