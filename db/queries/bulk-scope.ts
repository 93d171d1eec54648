import { sql, type SQL } from "drizzle-orm";
import type { BulkAction } from "../schema/bulk.ts";
import { STATUS_CODE } from "../schema/task-status.ts";
import { idLiteral, type Session } from "../session.ts";
import type { EndedStatus } from "./archive-tasks.ts";
import { isCancellable } from "./cancel-tasks.ts";
import { isResettable } from "./reset-tasks.ts";
import { filterCondition, type TaskFilter } from "./task-filter.ts";

/** The states that an action can be about; `all` only of tasks that are named by their ids or by another action. */
export const BULK_TARGETS = ["failed", "stuck", "due", "scheduled", "retrying", "all"] as const;
export type BulkTarget = (typeof BULK_TARGETS)[number];

/** One archived task. An id alone is none: a server may hand it out again. Instants are ISO text. */
export interface ArchivedRef {
  readonly id: string;
  readonly archivedAt: string;
}

/** The archived tasks that a replay is about: those that were picked, or all of a time. Instants are ISO text. */
export interface ArchivedTargets {
  /** Archived at or after. */
  readonly from?: string | undefined;
  /** Archived before. */
  readonly to?: string | undefined;
  readonly status?: EndedStatus | undefined;
  /** The fingerprint of the last error. */
  readonly cause?: string | undefined;
  /** What was looked for when the tasks of `picked` were found. */
  readonly bizKey?: string | undefined;
  readonly id?: string | undefined;
  readonly picked?: readonly ArchivedRef[] | undefined;
  /** Whether those that succeeded are meant too: their effect may happen a second time. */
  readonly withSucceeded: boolean;
}

/** The tasks of an action, frozen when it is made. The event types are always named, so that it cannot grow. */
export interface BulkFilter extends TaskFilter {
  readonly state: BulkTarget;
  readonly eventTypes: readonly string[];
  /** An error fingerprint; `none`: without one. */
  readonly cause?: string | undefined;
  /** Of a replay, and of nothing else: it is about no live task. */
  readonly archive?: ArchivedTargets | undefined;
}

/** What bounds an action to the tasks that were meant: none newer than `maxId`, none that failed after `boundTime`. */
export interface BulkBounds {
  readonly maxId: string;
  /** As the database stores it. */
  readonly boundTime: string;
}

export interface BulkScope {
  readonly action: BulkAction;
  readonly filter: BulkFilter;
  readonly bounds: BulkBounds;
}

/** The filter as it is stored. */
export function storedFilter(filter: BulkFilter): string {
  return JSON.stringify(filter);
}

/** The filter that a stored text means. */
export function parseFilter(stored: string): BulkFilter {
  const { createdFrom, createdTo, ...filter } = JSON.parse(stored) as Omit<BulkFilter, "createdFrom" | "createdTo"> & {
    createdFrom?: string;
    createdTo?: string;
  };
  return {
    ...filter,
    ...(createdFrom === undefined ? {} : { createdFrom: new Date(createdFrom) }),
    ...(createdTo === undefined ? {} : { createdTo: new Date(createdTo) }),
  };
}

/** The status whose range of `idx_claim` holds every task of this filter. */
export function walkedStatus({ state }: BulkFilter): number {
  if (state === "failed" || state === "all") return STATUS_CODE.failed;
  return state === "stuck" ? STATUS_CODE.running : STATUS_CODE.pending;
}

/**
 * Whether a row `t` of the task table is one that the action means and may change. "Now" within the filter is the
 * instant that bounds it, so that the answer for an untouched task is the same during the whole action.
 */
export function matchesScope(session: Session, { action, filter, bounds }: BulkScope): SQL {
  // What the walk itself goes through is not asked again of each row.
  const { ids, bulkId, cause, state, archive: _, ...others } = filter;
  const frozen = session.at(session.zone.parseInstant(bounds.boundTime));
  const conditions: SQL[] = [
    action === "cancel" ? isCancellable : isResettable(frozen),
    filterCondition(frozen, {
      ...others,
      state,
      ids: bulkId === undefined ? undefined : ids,
      cause: cause === "none" ? undefined : cause,
    }),
    sql`t.id <= ${idLiteral(bounds.maxId)}`,
  ];
  if (cause === "none") conditions.push(sql`t.error_fingerprint IS NULL`);
  // One that failed after the person looked is another failure, though it is the same task.
  conditions.push(
    sql`(t.status <> ${STATUS_CODE.failed} OR COALESCE(t.finished_time, t.update_time) <= ${bounds.boundTime})`,
  );
  return sql.join(conditions, sql` AND `);
}
