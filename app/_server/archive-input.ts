import * as z from "zod";
import { decodeArchiveCursor } from "./archive-cursor.ts";
import { instant } from "./instant-input.ts";
import { pageCursor, pageLimit, wordList } from "./list-input.ts";
import { optionalReason } from "./reason-input.ts";
import { taskId } from "./task-input.ts";

const DAY_MS = 86_400_000;
export const RANGE_DAYS_MAX = 31;
export const RANGE_DAYS_DEFAULT = 7;
const EVENT_TYPES_MAX = 100;
/** Payloads up to this size can be edited in the console. */
export const REPLAY_EDIT_BYTES_MAX = 64 * 1024;
/** Every byte may be escaped as six in a request. */
export const REPLAY_BODY_BYTES_MAX = 6 * REPLAY_EDIT_BYTES_MAX + 8 * 1024;

const filterFields = {
  from: instant.optional(),
  to: instant.optional(),
  eventType: wordList.pipe(z.array(z.string().min(1).max(64)).min(1).max(EVENT_TYPES_MAX)).optional(),
  state: z.enum(["succeeded", "failed", "cancelled"]).optional(),
  bizKey: z.string().min(1).max(128).optional(),
  cause: z.string().min(1).max(16).optional(),
  id: taskId.optional(),
};

/** Asked also where a bound is no instant: it is a text then, and has its own problem. */
export const rangeIsValid = ({ from, to }: { readonly from?: unknown; readonly to?: unknown }) => {
  if (!(from instanceof Date) || !(to instanceof Date)) return true;
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  return days > 0 && days <= RANGE_DAYS_MAX;
};
export const rangeProblem = {
  path: ["to"],
  message: `is not after from, or more than ${RANGE_DAYS_MAX} days after it`,
};

/** What `GET /api/v1/archive/count` and `GET /api/v1/archive.csv` take. */
export const archiveFilterQuery = z.strictObject(filterFields).refine(rangeIsValid, rangeProblem);

/** What `GET /api/v1/archive` takes. */
export const archiveListQuery = z
  .strictObject({
    ...filterFields,
    limit: pageLimit,
    cursor: pageCursor(decodeArchiveCursor),
  })
  .refine(rangeIsValid, rangeProblem);

export type ArchiveQuery = z.output<typeof archiveFilterQuery>;

/** What the addresses of one archived task take: which one, if the server handed the id out again; default the newest. */
export const archivedTaskQuery = z.strictObject({ archivedAt: instant.optional() });

/** What `POST /api/v1/archive/{id}/replay` takes. */
export const replayInput = z.strictObject({
  archivedAt: instant.optional(),
  reason: optionalReason,
  /** JSON text in place of the old payload, masks left where they were; left out: the old payload. */
  payload: z.string().min(1).optional(),
  /** Needed for a task that succeeded. */
  confirmSucceeded: z.boolean().optional(),
});

/**
 * The time that a query looks at. Always bounded, but for an exact id or biz key, which an index finds at any time: these
 * look everywhere unless a time is given.
 */
export function rangeOf(query: ArchiveQuery, now: Date): { readonly from?: Date; readonly to?: Date } {
  const { from, to, id, bizKey } = query;
  if (from === undefined && to === undefined && (id !== undefined || bizKey !== undefined)) return {};
  const end =
    to ??
    (from
      ? new Date(Math.min(from.getTime() + RANGE_DAYS_MAX * DAY_MS, now.getTime() + 1))
      : new Date(now.getTime() + 1));
  return { from: from ?? new Date(end.getTime() - RANGE_DAYS_DEFAULT * DAY_MS), to: end };
}
