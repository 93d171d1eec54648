import type { Overview, TypeOverview } from "../../../_server/count-tasks.ts";

/** An event type with nothing to it but what a test is about. */
export function type(eventType: string, counts: Partial<TypeOverview> = {}): TypeOverview {
  const none = { pending: 0, due: 0, running: 0, failed: 0, recycled1h: 0, recycled24h: 0, oldestDueAgeMs: 0 };
  return { eventType, paused: false, ...none, ...counts };
}

/** An overview of these types, with so many workers alive. */
export function overview(eventTypes: TypeOverview[], alive = 1): Overview {
  return { asOf: "", database: "", countMax: 10_000, eventTypes, workers: { alive, registered: alive } };
}
