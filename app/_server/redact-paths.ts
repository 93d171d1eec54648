import "server-only";
import { effectiveSettings, parseStoredSettings } from "../../db/event-type-settings.ts";
import { listEventTypes } from "../../db/queries/event-types.ts";
import type { Session } from "../../db/session.ts";

/** The paths of a type's payload that its settings mark as not to be shown. */
export async function readRedactPaths(session: Session, eventType: string): Promise<readonly string[]> {
  const row = (await listEventTypes(session)).find((one) => one.eventType === eventType);
  const code = parseStoredSettings(row?.codeSettings) ?? {};
  return effectiveSettings(code, parseStoredSettings(row?.overrideSettings) ?? {}).redactPaths ?? [];
}
