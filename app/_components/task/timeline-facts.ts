import type { AttemptItem } from "../../_server/list-attempts.ts";

export type Trigger = "first" | "retry" | "recycle" | "manual" | "poll";

/** What set an attempt off, as far as the entry before it tells. */
export function triggerOf(entry: AttemptItem, older: AttemptItem | undefined, isFirst: boolean): Trigger {
  if (!older) return isFirst && entry.claimNo <= 1 ? "first" : "poll";
  switch (older.kind) {
    case "retried":
    case "snoozed":
      return "retry";
    case "recycled":
      return "recycle";
    case "reset":
    case "run_now":
    case "edited":
      return "manual";
    default:
      return "poll";
  }
}

/** How long an attempt waited after it was due, if the entry before it says when that was. */
export function waitMs(entry: AttemptItem, older: AttemptItem | undefined): number | undefined {
  if (older?.nextRetryAt === undefined || entry.durationMs === undefined) return undefined;
  const startedAt = Date.parse(entry.at) - entry.durationMs;
  return Math.max(0, startedAt - Date.parse(older.nextRetryAt));
}
