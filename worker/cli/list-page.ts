import { listTaskEventTypes } from "../../db/queries/event-types.ts";
import { listTasks, type TaskSummary } from "../../db/queries/list-tasks.ts";
import type { TaskStatus } from "../../db/schema/task-status.ts";
import type { Session } from "../../db/session.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import { usageError } from "./cli-error.ts";
import { isTaskId } from "./parse-verb-input.ts";

/** Statuses in the order of the list: what asks for a person comes first. */
const STATUS_ORDER = ["failed", "running", "pending", "succeeded", "cancelled"] as const satisfies TaskStatus[];

/** The last row of a page. */
export interface ListPosition {
  readonly eventType: string;
  readonly status: TaskStatus;
  readonly dueTime: string;
  readonly id: string;
}

export interface ListPage {
  readonly items: readonly TaskSummary[];
  /** Where the next page begins; undefined on the last one. */
  readonly next: ListPosition | undefined;
}

/**
 * One page of tasks: by type, then by status, then newest due first. Each combination is one walk along `idx_claim`, so
 * no page sorts or skips rows, and none repeats or loses a row that stays where it is.
 */
export async function listPage(
  session: Session,
  filter: { readonly eventType: string | undefined; readonly status: TaskStatus | undefined; readonly limit: number },
  after: ListPosition | undefined,
): Promise<ListPage> {
  const types = filter.eventType === undefined ? (await listTaskEventTypes(session)).sort() : [filter.eventType];
  const statuses = filter.status === undefined ? STATUS_ORDER : [filter.status];
  const items: TaskSummary[] = [];
  for (const eventType of types) {
    for (const status of statuses) {
      if (after && isBefore(eventType, status, after)) continue;
      const isResumed = eventType === after?.eventType && status === after.status;
      let cursor = isResumed ? { dueTime: after.dueTime, id: after.id } : undefined;
      do {
        // One row beyond the limit tells whether there is a next page.
        const page = await listTasks(session, { eventType, status, limit: filter.limit + 1 - items.length, cursor });
        items.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor && items.length <= filter.limit);
      if (items.length > filter.limit) return cut(session, items, filter.limit);
    }
  }
  return { items, next: undefined };
}

function cut(session: Session, found: readonly TaskSummary[], limit: number): ListPage {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (!last?.status) return { items, next: undefined };
  const dueTime = session.zone.format(last.nextRetryAt);
  return { items, next: { eventType: last.eventType, status: last.status, dueTime, id: last.id } };
}

function isBefore(eventType: string, status: (typeof STATUS_ORDER)[number], position: ListPosition): boolean {
  if (eventType !== position.eventType) return eventType < position.eventType;
  return STATUS_ORDER.indexOf(status) < STATUS_ORDER.indexOf(position.status);
}

/** A position as one word that needs no quoting in a shell. */
export function encodeCursor({ eventType, status, dueTime, id }: ListPosition): string {
  return Buffer.from(JSON.stringify([eventType, status, dueTime, id])).toString("base64url");
}

/** @throws CliError USAGE for anything that `encodeCursor` did not make. */
export function decodeCursor(text: string, zone: SessionZone): ListPosition {
  try {
    const [eventType, status, dueTime, id] = JSON.parse(Buffer.from(text, "base64url").toString()) as unknown[];
    const known = STATUS_ORDER.find((name) => name === status);
    if (typeof eventType === "string" && known && isDueTime(dueTime, zone) && typeof id === "string" && isTaskId(id)) {
      return { eventType, status: known, dueTime, id };
    }
  } catch {
    // Told below, with what is not an array of the right shape.
  }
  throw usageError("--cursor is not one that a list has printed; copy it whole, or leave it out to start anew");
}

/** Written as the tables write it, and a day and time of the calendar, which a server may otherwise refuse. */
function isDueTime(value: unknown, zone: SessionZone): value is string {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/.test(value)) return false;
  const instant = zone.parseInstant(value);
  return !Number.isNaN(instant.getTime()) && zone.format(instant) === value;
}
