import type { BulkRow } from "../../db/queries/bulk-operations.ts";
import type { ArchivedTargets, BulkFilter } from "../../db/queries/bulk-scope.ts";
import type { BulkAction, BulkState, CanaryVerdict } from "../../db/schema/bulk.ts";

/** Nobody has shown a sign of life for so long, or begun a due action: no worker seems to see to it. */
const STALLED_MS = 15_000;

/** A bulk action as the pages and outside callers see it. */
export interface BulkView {
  readonly id: string;
  readonly name: string;
  readonly action: BulkAction;
  readonly filter: Omit<BulkFilter, "createdFrom" | "createdTo" | "archive"> & {
    readonly createdFrom?: string | undefined;
    readonly createdTo?: string | undefined;
    /** Of a replay: which archived tasks; of those that were picked their number. */
    readonly archive?: (Omit<ArchivedTargets, "picked"> & { readonly picked?: number | undefined }) | undefined;
  };
  /** Later tasks and later failures are not meant. */
  readonly boundAt: string;
  readonly state: BulkState;
  readonly stateReason: string | undefined;
  /** Null: as fast as it goes. */
  readonly ratePerSecond: number | null;
  readonly jitterMs: number;
  readonly canary:
    { readonly rows: number; readonly share: number; readonly verdict: CanaryVerdict | undefined } | undefined;
  readonly reason: string;
  readonly actor: string;
  readonly approvedBy: string | undefined;
  /** How many tasks matched when it was made. */
  readonly estimate: number;
  readonly done: number;
  readonly skipped: number;
  readonly createdAt: string;
  readonly startAt: string;
  readonly finishedAt: string | undefined;
  readonly startsInMs: number;
  /** True: it ought to go on, and no worker seems to see to it. */
  readonly isStalled: boolean;
}

export function bulkView(row: BulkRow, asOf: Date): BulkView {
  const { createdFrom, createdTo, archive, ...filter } = row.filter;
  const isRunning = row.state === "running" || row.state === "canary";
  const silentMs = asOf.getTime() - (row.beatAt?.getTime() ?? 0);
  return {
    id: row.id,
    name: row.name,
    action: row.action,
    filter: {
      ...filter,
      createdFrom: createdFrom?.toISOString(),
      createdTo: createdTo?.toISOString(),
      archive: archive && { ...archive, picked: archive.picked?.length },
    },
    boundAt: row.boundAt.toISOString(),
    state: row.state,
    stateReason: row.stateReason,
    ratePerSecond: row.ratePerSecond ?? null,
    jitterMs: row.jitterMs,
    canary:
      row.canaryRows === 0
        ? undefined
        : { rows: row.canaryRows, share: row.canaryShare ?? 1, verdict: row.canaryVerdict },
    reason: row.reason,
    actor: row.actor,
    approvedBy: row.approvedBy,
    estimate: row.estimate,
    done: row.doneCount,
    skipped: row.skippedCount,
    createdAt: row.createdAt.toISOString(),
    startAt: row.startAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString(),
    startsInMs: row.startsInMs,
    isStalled: isRunning ? silentMs > STALLED_MS : row.state === "scheduled" && row.startsInMs < -STALLED_MS,
  };
}

/** The filter as an order carries it: event types may be left out, instants are ISO text. */
export type OrderFilter = Omit<BulkView["filter"], "eventTypes"> & {
  readonly eventTypes?: readonly string[] | undefined;
};
