import { effectiveSettings, type EventTypeSettings } from "../../db/event-type-settings.ts";
import type { EventTypePool } from "./event-type-pool.ts";
import type { Handler } from "./handler.ts";
import type { Poller } from "./poller.ts";

/** Everything one event type has in this process. */
export interface EventTypeRuntime {
  readonly handler: Handler;
  readonly pool: EventTypePool;
  readonly poller: Poller;
  settings: EventTypeSettings;
  isPaused: boolean;
}

/** The settings a handler starts with, until the registry is read. */
export function settingsOfHandler(handler: Handler): EventTypeSettings {
  return effectiveSettings(handler.settings, {});
}
