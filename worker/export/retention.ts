import type { Database } from "../../db/client.ts";
import { effectiveSettings, type KeptSeconds, parseStoredSettings } from "../../db/event-type-settings.ts";
import { listEventTypes } from "../../db/queries/event-types.ts";
import { endOfDay } from "./closed-days.ts";

/** How long archived tasks of a type are kept: those that failed for good, and the others. */
export interface Retention {
  readonly failed: KeptSeconds;
  readonly ended: KeptSeconds;
}

/** The retention of each type; one that nobody registered has the default, one whose settings cannot be read is kept. */
export type RetentionOf = (eventType: string) => Retention;

const KEPT: Retention = { failed: "forever", ended: "forever" };

export async function readRetention(database: Database): Promise<RetentionOf> {
  const rows = await database.use(listEventTypes);
  const byType = new Map(
    rows.map((row): [string, Retention] => {
      const code = parseStoredSettings(row.codeSettings);
      const overrides = parseStoredSettings(row.overrideSettings);
      return [row.eventType, code && overrides ? retentionOf(effectiveSettings(code, overrides)) : KEPT];
    }),
  );
  const standard = retentionOf(effectiveSettings({}, {}));
  return (eventType) => byType.get(eventType) ?? standard;
}

function retentionOf(settings: ReturnType<typeof effectiveSettings>): Retention {
  const ended = settings.archiveKeptSeconds;
  return { ended, failed: settings.archiveFailedKeptSeconds ?? ended };
}

/** Whether the retention of everything that was archived on a day is over: counted from the end of the day. */
export function isOver(kept: KeptSeconds, day: string, now: Date): boolean {
  return kept !== "forever" && endOfDay(day) + kept * 1_000 <= now.getTime();
}
